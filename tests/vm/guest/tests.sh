#!/bin/bash
# Runs in a guest: the tests of tests/kernel whose names match $pattern, one by one. Each leaves NAME.txt in /out.
# Before busybox's own versions of the same commands.
export PATH=/usr/bin:/usr/sbin:$PATH
export EMULATED=1 PROFILE=/usr/sbin/profile WORKLOADS=/work/workloads SOURCE_DIR=/work/source BUILD_DIR=/out/build SANITIZED=0
pattern=$(cat /work/pattern)
for test in "$SOURCE_DIR"/tests/kernel/*.sh; do
  name=$(basename "$test" .sh)
  if [[ ! $name =~ $pattern ]]; then continue; fi
  began=$SECONDS
  # Shows the host that the guest is alive, and the result.
  echo "$name" >/dev/console
  timeout -k 10 1200 bash "$test" >"/out/$name.txt" 2>&1 </dev/null
  echo "$name $? $((SECONDS - began))" | tee -a /out/tests >/dev/console
done
