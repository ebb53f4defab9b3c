#!/usr/bin/env bash
# Makes the virtual environments with the published Python clients that the tests call, unmodified.
#
#   eval "$(scripts/python-clients.sh)"   installs what test/clients/python/*.txt pin, an environment for each file, and sets
#                                         TEST_PYTHON_CLIENTS, the folder that holds them
#
# The environments are kept in TMPDIR under the hash of the pins, so that a second run installs nothing. Needs Python 3.10 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."

PINS=test/clients/python
UV='uv==0.13.9'
INSTALL_SECONDS_MAX=300

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "python-clients: $*"
  exit 1
}

command -v python3 >/dev/null || fail 'python3 is not installed'
version=$(python3 --version)
hash=$(printf '%s\n' "$version" "$UV" | cat - "$PINS"/*.txt scripts/python-clients.sh | sha256sum | cut -c -16)
folder="${TMPDIR:-/tmp}/sanderling-python-$hash"
mkdir -p "$folder"

# Two runs at once take turns.
exec 9>"$folder/lock"
flock -w "$INSTALL_SECONDS_MAX" 9 || fail 'another installation has not finished'

if [ ! -e "$folder/complete" ]; then
  say "python-clients: installing into $folder ($version)"
  python3 -m venv "$folder/uv" || fail 'python3 lacks venv (Debian: apt-get install python3-venv)'
  timeout "$INSTALL_SECONDS_MAX" "$folder/uv/bin/pip" install -q --disable-pip-version-check "$UV" >&2
  for pins in "$PINS"/*.txt; do
    environment="$folder/$(basename "$pins" .txt)"
    python3 -m venv --clear --without-pip "$environment"
    timeout "$INSTALL_SECONDS_MAX" "$folder/uv/bin/uv" pip install -q --python "$environment/bin/python" -r "$pins" >&2
  done
  touch "$folder/complete"
fi
printf 'export TEST_PYTHON_CLIENTS=%q\n' "$folder"
