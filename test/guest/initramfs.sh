#!/bin/busybox sh
# The guest's first process: brings up the disk and goes on from there. Runs in the memory file system of image.ts.
/bin/busybox mount -t devtmpfs devtmpfs /dev
for module in /modules/*; do /bin/busybox insmod "$module" || echo "guest: cannot load $module"; done
/bin/busybox mount -t ext4 /dev/vda /disk || /bin/busybox poweroff -f
/bin/busybox mount --move /dev /disk/dev
exec /bin/busybox switch_root /disk /bin/sh /kubernode/test/guest/init.sh
