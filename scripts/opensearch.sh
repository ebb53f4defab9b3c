#!/usr/bin/env bash
# A real OpenSearch for tests: one node a process, on loopback, from jars of Maven Central.
#
#   scripts/opensearch.sh available   says why it cannot be started here, and fails; or nothing
#   scripts/opensearch.sh prepare     fetches the jars, once, and prints the command of a node without its settings, a word a line
#   scripts/opensearch.sh start       starts a node, waits until it answers, and prints the setting TEST_OPENSEARCH_URL
#   scripts/opensearch.sh stop        stops that node and removes its data
#
# Needs a JDK (21 or newer for OpenSearch 3.8, 17 for 2.19; SANDERLING_OPENSEARCH_JDK names one, else the newest is taken) and Maven. The jars are kept in SANDERLING_OPENSEARCH_JARS
# (default ~/.cache/sanderling/opensearch), the data of the node in SANDERLING_TEST_SERVICES.
set -euo pipefail
cd "$(dirname "$0")/opensearch"

STATE="${SANDERLING_TEST_SERVICES:-/tmp/sanderling-test-services}/opensearch"
JARS="${SANDERLING_OPENSEARCH_JARS:-${HOME:-/tmp}/.cache/sanderling/opensearch}"
JAVA_MIN=17
JAVA_NEW=21
RUNNER_NEW=3.8.0.0
RUNNER_OLD=2.19.1.0
PORT_FIRST=19200
PORTS_TRIED=50
START_SECONDS_MAX=90
HEAP=512m

say() { printf 'opensearch: %s\n' "$*" >&2; }

java_version() { "$1" -version 2>&1 | sed -nE '1s/.*version "([0-9]+).*/\1/p'; }

# The newest java that also compiles.
find_java() {
  local java best='' best_version=0 version
  if [ -n "${SANDERLING_OPENSEARCH_JDK:-}" ]; then
    printf '%s' "$SANDERLING_OPENSEARCH_JDK/bin/java"
    return
  fi
  for java in "${JAVA_HOME:+$JAVA_HOME/bin/java}" /usr/lib/jvm/*/bin/java "$(command -v java || true)"; do
    [ -n "$java" ] && [ -x "$java" ] && [ -x "$(dirname "$(readlink -f "$java")")/javac" ] || continue
    version=$(java_version "$java")
    if [ "${version:-0}" -gt "$best_version" ]; then best=$java best_version=$version; fi
  done
  [ "$best_version" -ge "$JAVA_MIN" ] && printf '%s' "$best"
}

available() {
  find_java >/dev/null || { say "no JDK of version $JAVA_MIN or newer"; return 1; }
  command -v mvn >/dev/null || { say 'no Maven'; return 1; }
}

prepare() {
  available || exit 1
  local java runner folder
  java=$(find_java)
  runner=$RUNNER_OLD
  [ "$(java_version "$java")" -ge "$JAVA_NEW" ] && runner=$RUNNER_NEW
  folder="$JARS/$runner"
  mkdir -p "$JARS"
  # Two at once take turns.
  exec 8>"$JARS/lock"
  flock -w 900 8
  if [ ! -e "$folder/complete" ]; then
    say "fetching OpenSearch ($runner) from Maven Central"
    mvn -q -B -f pom.xml -Dopensearch.runner="$runner" dependency:copy-dependencies \
      -DoutputDirectory="$folder" >&2
    touch "$folder/complete"
  fi
  [ "$folder/classes/Node.class" -nt Node.java ] ||
    "$(dirname "$(readlink -f "$java")")/javac" -d "$folder/classes" -cp "$folder/*" Node.java >&2
  exec 8>&-
  printf '%s\n' "$java" "-Xms$HEAP" "-Xmx$HEAP" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \
    -Dlog4j2.disable.jmx=true -cp "$folder/classes:$folder/*" Node
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

free_port() {
  local port
  for port in $(seq "$1" $(($1 + PORTS_TRIED))); do
    listens "$port" || { printf '%s' "$port"; return; }
  done
  say "no port from $1 on is free"
  return 1
}

start() {
  if [ -n "${TEST_OPENSEARCH_URL:-}" ]; then
    printf 'export TEST_OPENSEARCH_URL=%q\n' "$TEST_OPENSEARCH_URL"
    return
  fi
  local url tries=0 http transport
  if [ -f "$STATE/url" ] && curl -fs -m 3 "$(cat "$STATE/url")" >/dev/null; then
    printf 'export TEST_OPENSEARCH_URL=%q\n' "$(cat "$STATE/url")"
    return
  fi
  mapfile -t command < <(prepare)
  [ "${#command[@]}" -gt 0 ] || exit 1
  rm -rf "$STATE"
  mkdir -p "$STATE"/{config,data,logs,modules,plugins}
  http=$(free_port $PORT_FIRST)
  transport=$(free_port $((http + 100)))
  url="http://127.0.0.1:$http"
  "${command[@]}" path.home="$STATE" path.data="$STATE/data" path.logs="$STATE/logs" \
    cluster.name=sanderling-tests node.name=one discovery.type=single-node \
    network.host=127.0.0.1 http.port="$http" transport.port="$transport" \
    cluster.routing.allocation.disk.threshold_enabled=false cluster.max_shards_per_node=5000 \
    >"$STATE/output" 2>&1 </dev/null 9>&- &
  echo $! >"$STATE/pid"
  until curl -fs -m 3 "$url" >/dev/null; do
    tries=$((tries + 1))
    if [ "$tries" -gt "$START_SECONDS_MAX" ] || ! kill -0 "$(cat "$STATE/pid")" 2>/dev/null; then
      tail -n 20 "$STATE/output" >&2
      say 'the node did not start'
      exit 1
    fi
    sleep 1
  done
  printf '%s' "$url" >"$STATE/url"
  say "started a node on $url"
  printf 'export TEST_OPENSEARCH_URL=%q\n' "$url"
}

stop() {
  [ -f "$STATE/pid" ] || return 0
  kill "$(cat "$STATE/pid")" 2>/dev/null && say 'stopped the node'
  rm -rf "$STATE"
}

case "${1:-}" in
  available | prepare | start | stop) "$1" ;;
  *)
    say 'usage: opensearch.sh available | prepare | start | stop'
    exit 1
    ;;
esac
