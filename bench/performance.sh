#!/bin/sh
# All figures of docs/PERFORMANCE.md in one run, as Markdown on stdout; on a machine that does nothing else.
# usage: bench/performance.sh [REFERENCE_URL TOKEN PID,PID]      (the other server runs already; its processes, for memory)
set -eu
root=$(dirname "$(dirname "$(readlink -f "$0")")")
bench() { echo; sh "$root/tools/with-node.sh" "$root/bench/main.ts" "$@"; }
echo "$(nproc) cores, load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime), $(date -u +%F)"
if [ $# -ge 2 ]; then bench api --against "$1" --token "$2" --pids "${3:-}"; else bench api; fi
bench scale --objects "${OBJECTS:-1000,10000,100000}" --plot "$root/docs/scale.svg"
bench long-list
echo; echo "load at the end $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime)"
