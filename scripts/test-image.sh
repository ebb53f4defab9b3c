#!/usr/bin/env bash
# Builds the image without a container engine and without pulling one, runs it as an engine would, and calls it as its users do.
#
#   scripts/test-image.sh          needs root and Debian's debootstrap, buildah and runc; a Node 24 or newer and npm
#
# The base is a Debian root with this machine's Node and npm, in place of the image that the Dockerfile names. The container runs
# read-only, as user 10001, without capabilities, with /data as its one writable folder. Everything is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

SUITE=${SUITE:-trixie}
PORT=${PORT:-18080}
READY_SECONDS_MAX=60
NAME="sanderling-image-test-$$"
work=$(mktemp -d "${TMPDIR:-/tmp}/$NAME-XXXXXX")
export STORAGE_DRIVER=${STORAGE_DRIVER:-overlay} BUILDAH_ISOLATION=chroot

finish() {
  runc kill "$NAME" KILL 2>/dev/null || true
  runc delete --force "$NAME" 2>/dev/null || true
  [ -z "${container:-}" ] || buildah rm "$container" >/dev/null 2>&1 || true
  buildah rmi --force "$NAME" "$NAME-base" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT

build_base() {
  local root="$work/base" npm from
  debootstrap --variant=minbase --include=ca-certificates "$SUITE" "$root" >"$work/debootstrap.log"
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -a "$npm" "$root/usr/local/lib/node_modules/npm"
  cp -L "$(node -p process.execPath)" "$root/usr/local/bin/node"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  # A network that is reached through a certificate of its own.
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  from=$(buildah from scratch)
  buildah add --quiet "$from" "$root" / >/dev/null
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$from"
  buildah commit --quiet --rm "$from" "$NAME-base" >/dev/null
  rm -rf "$root"
}

# The bundle of the OCI runtime: the image's own user, environment, folder and command.
write_bundle() {
  mkdir -p "$work/bundle"
  install -d -o 10001 -g 10001 -m 700 "$work/data"
  buildah inspect --type image "$NAME" >"$work/image.json"
  WORK=$work ROOT=$1 PORT=$PORT node --input-type=commonjs --eval '
    const { WORK, ROOT, PORT } = process.env;
    const { config } = JSON.parse(require(`${WORK}/image.json`).Config);
    const [uid, gid] = config.User.split(":").map(Number);
    const settings = [`PORT=${PORT}`, "HOST=127.0.0.1", "RECALL=index", "LOG_LEVEL=warn", `BASE_URL=http://localhost:${PORT}`];
    const bundle = {
      ociVersion: "1.0.2",
      process: {
        user: { uid, gid },
        args: [...config.Entrypoint, ...config.Cmd],
        env: [...config.Env, ...settings],
        cwd: config.WorkingDir,
        capabilities: {},
        noNewPrivileges: true,
      },
      root: { path: ROOT, readonly: true },
      mounts: [
        { destination: "/proc", type: "proc", source: "proc" },
        { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755"] },
        { destination: "/data", type: "bind", source: `${WORK}/data`, options: ["bind", "rw"] },
      ],
      linux: { namespaces: ["pid", "mount", "ipc", "uts"].map((type) => ({ type })) },
    };
    fs.writeFileSync(`${WORK}/bundle/config.json`, JSON.stringify(bundle));'
}

is_ready() { node --eval "fetch('http://127.0.0.1:$PORT/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"; }

start() {
  local begun
  begun=$(date +%s%N)
  runc run --bundle "$work/bundle" "$NAME" >"$work/server.log" 2>&1 </dev/null &
  until grep -q 'serves on' "$work/server.log"; do
    [ $(($(date +%s%N) - begun)) -lt $((READY_SECONDS_MAX * 1000000000)) ] || { cat "$work/server.log"; exit 1; }
    sleep 0.02
  done
  echo "$1 start: $((($(date +%s%N) - begun) / 1000000)) ms"
  is_ready
}

stop() {
  runc kill "$NAME" TERM
  wait %%
}

build_base
buildah bud --quiet --format docker --build-arg "NODE_IMAGE=localhost/$NAME-base" --tag "$NAME" . >/dev/null
container=$(buildah from "$NAME")
write_bundle "$(buildah mount "$container")"
echo "size: $(buildah images --format '{{.Size}}' "$NAME" | head -n 1)"
start first
stop
start second
node scripts/smoke-test.mjs "http://127.0.0.1:$PORT"
runc exec "$NAME" node --eval "try { fs.writeFileSync('/app/x', ''); process.exit(1); } catch ({ code }) { if (code !== 'EROFS') throw code; }"
runc exec "$NAME" sanderling keys list >/dev/null
stop
echo 'The image works.'
