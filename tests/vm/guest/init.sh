#!/bin/sh
# The first process of a guest: mounts file systems, loads modules for the disks, and follows the kernel's command line
# (vm.hide=PATH, vm.sysctl=NAME=VALUE). It runs /work/main.sh and writes /out to the raw disk.
export PATH=/work:/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
/bin/busybox mkdir -p /sbin /usr/bin
/bin/busybox --install -s
ldconfig
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
echo 'vm: init is reached' >/dev/console
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /out
mount -t tracefs tracefs /sys/kernel/tracing
mount -t securityfs securityfs /sys/kernel/security
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
ln -s /proc/self/fd /dev/fd
cut -d " " -f 1 /proc/uptime >/out/booted
ifconfig lo 127.0.0.1 up
# An emulated CPU takes so long for an interrupt that the kernel would lower its highest sampling frequency.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
while read -r module; do insmod "/modules/$module.ko"; done </modules/list

for word in $(cat /proc/cmdline); do
  value=${word#*=}
  case $word in
    vm.hide=*)
      # An empty file system hides everything below.
      mount -t tmpfs tmpfs "$value" || echo "$value cannot be hidden" >>/out/complaints
      ;;
    vm.sysctl=*)
      file=/proc/sys/$(echo "${value%%=*}" | tr . /)
      echo "${value#*=}" >"$file"
      [ "$(cat "$file")" = "${value#*=}" ] || echo "$value cannot be set" >>/out/complaints
      ;;
  esac
done

uname -r >/out/release
# The profiler can follow a command only if the kernel has BTF and lets BPF read its memory.
[ -e /sys/kernel/btf/vmlinux ] && ! grep -q '\[confidentiality\]' /sys/kernel/security/lockdown && touch /out/commands
sh /work/main.sh >/out/main 2>&1
dmesg >/out/dmesg
cut -d ' ' -f 1 /proc/uptime >/out/end
tar -cf /dev/vda -C /out .
sync
poweroff -f
