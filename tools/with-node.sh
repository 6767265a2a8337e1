#!/bin/sh
# Runs a TypeScript file with the Node of node_modules, installing the npm packages first where they are missing or old.
# usage: with-node.sh FILE [ARGUMENT...]
# Or sourced by a script that has set root: another process takes 2 ms of each start, and so do programs, which are called
# only where the shell itself cannot tell.
set -eu
case $0 in *with-node.sh)
  script=$(readlink -f "$0")
  root=${script%/*/*}
  ;;
esac
modules="$root/node_modules"
node="$modules/.bin/node"
# The lock file that was installed last: a clone or checkout that only touches the file is no reason to install again.
stamp="$modules/.kubernode-lock.json"

is_current() {
  [ -x "$node" ] || return 1
  ! [ "$root/package-lock.json" -nt "$modules/.package-lock.json" ] || cmp -s "$root/package-lock.json" "$stamp"
}

install() {
  cd "$root"
  # 'npm ci' begins by removing what is there: only where nothing is. 'npm install' takes a failure back.
  if [ -x "$node" ]; then npm install --no-save --no-audit --no-fund --loglevel=error >&2
  else npm ci --no-audit --no-fund --loglevel=error >&2
  fi && touch "$modules/.package-lock.json" && cp package-lock.json "$stamp"
}

if ! is_current; then
  if ! command -v npm >/dev/null; then
    echo "kubernode: npm is missing, and with it come Node 26 and the libraries. Run: apt-get install npm" >&2
    exit 1
  fi
  # One installation at a time; who waited finds it done.
  exec 9<"$root/package.json"
  if command -v flock >/dev/null; then flock 9; fi
  if ! is_current; then
    echo "Installing npm packages (once, some 15 seconds) ..." >&2
    if ! (install 9<&-); then
      echo "kubernode: npm could not install the packages in $root: see the lines above; nothing was started" >&2
      exit 1
    fi
  fi
  exec 9<&-
fi

file=$1
shift
. "$root/tools/bundle.sh"

# Compiled code is kept between runs: starts are twice as fast.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$modules/.cache/compile}"
# The C library keeps memory for each thread that ever asked for some; two such stores are enough.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
# The nursery: with 4 MB, requests in flight are moved to the old generation, and creates cost a fifth more (bench/api.ts);
# beyond 16 MB only memory grows. A process that idles gives it back. No other flag of V8 stands here: with most of them V8
# refuses the compiled code that Node brings along, and each start takes 50 ms more.
# FFI is for one call: packages/cli/cluster/native-memory.ts.
exec "$node" --disable-warning=ExperimentalWarning --max-semi-space-size=16 --experimental-ffi "$file" "$@"
