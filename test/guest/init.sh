#!/bin/sh
# Process 1 of the guest: mounts what a system has, with cgroup v2 alone, runs the tests with crun and then with runc, says
# how it went, and turns the machine off. GUEST_FILTER (from the kernel's command line): only test files with the word.
export PATH=/usr/sbin:/usr/bin HOME=/root TERM=dumb
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir -p /dev/pts /dev/shm /dev/mqueue /opt/hidden
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t mqueue mqueue /dev/mqueue
for link in fd:fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do ln -s "/proc/self/${link#*:}" "/dev/${link%:*}"; done
mount --make-rshared /
hostname guest
ip link set lo up
modprobe -a loop overlay bridge veth nf_tables

cd /kubernode || poweroff -f
failed=0
run_tests() {
  # Kubernode takes crun where both are there: with the other one hidden, each is certain.
  for program in /opt/hidden/*; do [ -e "$program" ] && mv "$program" /usr/sbin/; done
  for other in crun runc; do
    [ "$other" = "$1" ] || mv "$(command -v "$other")" /opt/hidden/
  done
  echo "== guest: tests with $1"
  files=$(ls packages/*/*.e2e.test.ts packages/*/*/*.e2e.test.ts test/guest/*.checks.ts | grep -e "${GUEST_FILTER:-.}")
  [ -n "$files" ] || { echo "guest: no test file has \"$GUEST_FILTER\" in its path"; return 1; }
  GUEST_RUNTIME=$1 sh tools/with-node.sh --test --test-reporter=spec --test-concurrency=1 --test-timeout=600000 $files
}
for runtime in $(echo "${GUEST_RUNTIMES:-crun,runc}" | tr ',' ' '); do
  run_tests "$runtime" || failed=1
done
echo "== guest: result $failed"
sync
busybox poweroff -f
