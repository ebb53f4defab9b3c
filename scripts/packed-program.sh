#!/usr/bin/env bash
# Packs the project as it is published and installs the package, so that tests can run what ships.
#
#   eval "$(scripts/packed-program.sh <folder>)"   sets SANDERLING_PROGRAM, the command line of the package installed in <folder>
#
# With it set, every test that starts Sanderling as a process starts that program instead of the clone's.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?usage: scripts/packed-program.sh <folder>}
mkdir -p "$folder"
npm pack --silent --pack-destination "$folder" >&2
npm install --prefix "$folder" --no-fund --no-audit --loglevel=error --prefer-offline "$folder"/sanderling-*.tgz >&2
program=$(realpath "$folder")/node_modules/sanderling/bin/sanderling.js
# A package that cannot even say its version would let each test fail by itself.
PATH="$PWD/node_modules/.bin:$PATH" node "$program" --version >&2
printf 'export SANDERLING_PROGRAM=%q\n' "$program"
