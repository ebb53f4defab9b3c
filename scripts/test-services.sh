#!/usr/bin/env bash
# Starts and stops the services that tests use: PostgreSQL, Redis and (where a JDK and Maven are) OpenSearch on loopback; Chromium, searx,
# squid, microsocks and zimwriterfs as programs.
#
#   eval "$(scripts/test-services.sh start)"   installs what is missing (Debian packages; needs root), starts private
#                                              instances where nothing usable listens, and sets TEST_DATABASE_URL and
#                                              TEST_REDIS_URL
#   scripts/test-services.sh stop              stops the instances that `start` started, and removes their data
#   scripts/test-services.sh status            lists what is running
#
# An address already set in the environment is used. Data is kept in SANDERLING_TEST_SERVICES
# (default /tmp/sanderling-test-services).
set -euo pipefail

SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
STATE="${SANDERLING_TEST_SERVICES:-/tmp/sanderling-test-services}"
POSTGRES_PORT_DEFAULT=5432
REDIS_PORT_DEFAULT=6379
# Used where another program occupies the default port.
POSTGRES_PORT_SPARE=54329
REDIS_PORT_SPARE=63799
PROBE_SECONDS=3
START_SECONDS_MAX=60

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "test-services: $*"
  exit 1
}

listens() { timeout "$PROBE_SECONDS" bash -c "exec 3<>/dev/tcp/127.0.0.1/$1" 2>/dev/null; }

# The newest installed server's folder of programs, or nothing.
postgres_programs() {
  local folder
  for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV); do
    [ -x "$folder/initdb" ] && printf '%s' "$folder" && return
  done
  return 0
}

answers_postgres() {
  PGCONNECT_TIMEOUT=$PROBE_SECONDS psql -qAtX "$1" -c 'select 1' >/dev/null 2>&1
}

answers_redis() {
  [ "$(timeout "$PROBE_SECONDS" redis-cli -u "$1" ping 2>/dev/null)" = PONG ]
}

# PostgreSQL refuses to run as root; other users run it as themselves.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

missing_packages() {
  { [ -n "$(postgres_programs)" ] && command -v psql >/dev/null; } || printf 'postgresql postgresql-client '
  { command -v redis-server >/dev/null && command -v redis-cli >/dev/null; } || printf 'redis-server '
  command -v chromium >/dev/null || printf 'chromium '
  command -v searx-run >/dev/null || printf 'searx '
  # For promtool, which tests alert rules.
  command -v promtool >/dev/null || printf 'prometheus '
  command -v zimwriterfs >/dev/null || printf 'zim-tools '
  # Proxies, and the program that lets Chromium trust an authority.
  [ -x /usr/sbin/squid ] || printf 'squid '
  command -v microsocks >/dev/null || printf 'microsocks '
  command -v certutil >/dev/null || printf 'libnss3-tools '
}

install_missing() {
  local packages
  packages=$(missing_packages)
  [ -z "$packages" ] && return
  command -v apt-get >/dev/null || fail "not installed: $packages(this script can install Debian packages only)"
  [ "$(id -u)" = 0 ] || fail "not installed: $packages(run as root, or: apt-get install $packages)"
  say "test-services: installing $packages"
  # A package that starts its own service would occupy the port with an instance that refuses our tests.
  local policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap "rm -f $policy" EXIT
  fi
  apt-get update -qq >&2
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >"$STATE/apt.log" 2>&1 ||
    { tail -n 20 "$STATE/apt.log" >&2; fail "apt-get install $packages failed"; }
}

free_port() {
  if ! listens "$1"; then printf '%s' "$1"; return; fi
  listens "$2" && fail "ports $1 and $2 are both in use by something that refuses our tests"
  printf '%s' "$2"
}

start_postgres() {
  local url=${TEST_DATABASE_URL:-} port programs data="$STATE/postgres"
  if [ -n "$url" ]; then
    answers_postgres "$url" || fail "TEST_DATABASE_URL is set, but no PostgreSQL answers there"
  else
    for port in $POSTGRES_PORT_DEFAULT $POSTGRES_PORT_SPARE; do
      url="postgres://postgres@127.0.0.1:$port/postgres"
      if answers_postgres "$url"; then break; else url=; fi
    done
  fi
  if [ -z "$url" ]; then
    port=$(free_port $POSTGRES_PORT_DEFAULT $POSTGRES_PORT_SPARE)
    programs=$(postgres_programs)
    rm -rf "$data"
    mkdir -p "$data"
    if [ "$(id -u)" = 0 ]; then chown postgres "$data"; fi
    as_postgres "$programs/initdb" -D "$data" -U postgres --auth=trust --no-sync >"$STATE/initdb.log" 2>&1 ||
      { cat "$STATE/initdb.log" >&2; fail 'initdb failed'; }
    as_postgres "$programs/pg_ctl" -D "$data" -w -t "$START_SECONDS_MAX" -l "$data/log" \
      -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$data -c max_connections=200" \
      start >/dev/null || { cat "$data/log" >&2; fail 'PostgreSQL did not start'; }
    url="postgres://postgres@127.0.0.1:$port/postgres"
    say "test-services: started PostgreSQL on 127.0.0.1:$port"
  fi
  printf 'export TEST_DATABASE_URL=%q\n' "$url"
}

start_redis() {
  local url=${TEST_REDIS_URL:-} port
  if [ -n "$url" ]; then
    answers_redis "$url" || fail "TEST_REDIS_URL is set, but no Redis answers there"
  else
    for port in $REDIS_PORT_DEFAULT $REDIS_PORT_SPARE; do
      url="redis://127.0.0.1:$port"
      if answers_redis "$url"; then break; else url=; fi
    done
  fi
  if [ -z "$url" ]; then
    port=$(free_port $REDIS_PORT_DEFAULT $REDIS_PORT_SPARE)
    redis-server --bind 127.0.0.1 --port "$port" --save '' --appendonly no --daemonize yes \
      --dir "$STATE" --pidfile "$STATE/redis.pid" --logfile "$STATE/redis.log" >/dev/null
    url="redis://127.0.0.1:$port"
    local tries=0
    until answers_redis "$url"; do
      tries=$((tries + 1))
      [ "$tries" -lt $((START_SECONDS_MAX * 10)) ] || { cat "$STATE/redis.log" >&2; fail 'Redis did not start'; }
      sleep 0.1
    done
    say "test-services: started Redis on 127.0.0.1:$port"
  fi
  printf 'export TEST_REDIS_URL=%q\n' "$url"
}

# Where no JDK and Maven are, tests of the index behind OpenSearch say that they are skipped; under CI they fail instead.
start_opensearch() {
  if "$SCRIPTS/opensearch.sh" available; then
    "$SCRIPTS/opensearch.sh" start
  elif [ -n "${CI:-}" ]; then
    fail 'OpenSearch cannot be started'
  fi
}

start() {
  mkdir -p "$STATE"
  chmod 755 "$STATE"
  # Two starts at once take turns. The services must not inherit the lock.
  exec 9>"$STATE/lock"
  flock -w 600 9 || fail 'another start has not finished within ten minutes'
  install_missing 9>&-
  start_postgres 9>&-
  start_redis 9>&-
  start_opensearch 9>&-
}

stop() {
  if [ -f "$STATE/postgres/postmaster.pid" ]; then
    as_postgres "$(postgres_programs)/pg_ctl" -D "$STATE/postgres" -m fast -w stop >/dev/null || true
    say 'test-services: stopped PostgreSQL'
  fi
  if [ -f "$STATE/redis.pid" ]; then
    kill "$(cat "$STATE/redis.pid")" 2>/dev/null || true
    say 'test-services: stopped Redis'
  fi
  "$SCRIPTS/opensearch.sh" stop
  rm -rf "$STATE"
}

status() {
  local packages port
  packages=$(missing_packages)
  [ -n "$packages" ] && say "not installed: $packages"
  for port in $POSTGRES_PORT_DEFAULT $POSTGRES_PORT_SPARE; do
    answers_postgres "postgres://postgres@127.0.0.1:$port/postgres" && say "PostgreSQL answers on 127.0.0.1:$port"
  done
  for port in $REDIS_PORT_DEFAULT $REDIS_PORT_SPARE; do
    answers_redis "redis://127.0.0.1:$port" && say "Redis answers on 127.0.0.1:$port"
  done
  return 0
}

case "${1:-}" in
  start | stop | status) "$1" ;;
  *) fail 'usage: test-services.sh start | stop | status' ;;
esac
