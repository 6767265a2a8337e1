#!/bin/sh
# Runs a TypeScript file with the Node of node_modules, installing the npm packages first where they are missing or old.
# usage: with-node.sh FILE [ARGUMENT...]
set -eu
root=$(dirname "$(dirname "$(readlink -f "$0")")")
installed="$root/node_modules/.package-lock.json"
node="$root/node_modules/.bin/node"

lacks_packages() {
  [ ! -x "$node" ] || [ "$root/package-lock.json" -nt "$installed" ]
}

if lacks_packages; then
  # One at a time: npm begins by removing what is there, also under another npm.
  exec 9<"$root/package-lock.json"
  if command -v flock >/dev/null; then flock 9; fi
fi

if lacks_packages; then
  if ! command -v npm >/dev/null; then
    echo "kubernode: npm is missing, and with it come Node 26 and the libraries. Run: apt-get install npm" >&2
    exit 1
  fi
  echo "Installing npm packages (once, some 15 seconds) ..." >&2
  if ! (cd "$root" && npm ci --no-audit --no-fund --loglevel=error >&2); then
    echo "kubernode: 'npm ci' failed in $root: see the lines above; nothing was started" >&2
    exit 1
  fi
  touch "$installed"
fi
exec 9<&-

# Compiled code is kept between runs: starts are twice as fast.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/node_modules/.cache/compile}"
# A small nursery: 30 MB less for a cluster that idles, a twentieth less throughput (measured with bench/cluster.ts, api.ts).
exec "$node" --disable-warning=ExperimentalWarning --max-semi-space-size=4 "$@"
