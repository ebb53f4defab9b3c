#!/bin/sh
# Usage: assemble-root.sh <root>. Lays out what Sanderling needs in the image besides its own folder.
set -eu
root=$1
node=$(command -v node)

mkdir -p "$root/etc" "$root/usr/local/bin"
cp -L "$node" "$root/usr/local/bin/node"
# The command line: there is no shell, and no env to find Node.
printf '#!/usr/local/bin/node --max-semi-space-size=16\nimport("/app/bin/sanderling.js");\n' >"$root/usr/local/bin/sanderling"
chmod 755 "$root/usr/local/bin/sanderling"
# The loader and the shared libraries, each at its own path.
ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done

printf 'root:x:0:0:root:/:/sbin/nologin\nsanderling:x:10001:10001:Sanderling:/data:/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nsanderling:x:10001:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
# Most runtimes mount their own.
printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"

# A volume that is mounted empty takes the owner from here.
install -d -o 10001 -g 10001 -m 700 "$root/data"
install -d -m 1777 "$root/tmp"
