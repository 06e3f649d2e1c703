#!/bin/sh
# The first process of a guest that has a system of its own on its second disk: puts /work there and lets the init of
# that system take over.
export PATH=/bin
/bin/busybox mkdir -p /proc /dev /system
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs devtmpfs /dev
echo 'vm: init is reached' >/dev/console
while read -r module; do insmod "/modules/$module.ko"; done </modules/list
mount -t ext4 /dev/vdb /system
cp -a /work /system/
cat >/system/etc/systemd/system/test.service <<'UNIT'
[Service]
ExecStart=/work/main.sh
[Install]
WantedBy=multi-user.target
UNIT
mkdir -p /system/etc/systemd/system/multi-user.target.wants
ln -s ../test.service /system/etc/systemd/system/multi-user.target.wants/
umount /proc
mount -o move /dev /system/dev
exec switch_root /system /sbin/init
