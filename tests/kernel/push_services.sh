#!/bin/bash
# --push cuts a profile by service: by what the cgroup of a process tells, and otherwise by its name.
source "$(dirname "$0")/push.bash"
need_group

id=$(printf '%064d' 7)
group_root=$group
for name in shop.service "docker-$id.scope"; do
  mkdir "$group_root/$name" || fail "no cgroup $name"
  at_exit "rmdir '$group_root/$name'"
  group=$group_root/$name
  start in_group "$WORKLOADS/leaves" 60/4
done
burn leaves 60/4
mkdir "$group_root/brief.service" || fail "no cgroup"
at_exit "wait_until rmdir '$group_root/brief.service' 2>/dev/null"

receive server
begin -F 499 -i 0.6 --push "parca+http://$address"
wait_until are_accepted server 1
# Brief processes, which have ended when their samples are read.
group=$group_root/brief.service
start in_group bash -c 'while :; do "$0" 0.01cpu; done' "$WORKLOADS/depth"
are_all_there() {
  local service
  for service in shop leaves kernel "${id:0:12}"; do accepted server | grep -q " service=$service\( \|$\)" || return 1; done
  folded_of server ' service=brief( |$)' | grep -q '^depth;'
}
wait_until are_all_there
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_taken server "$recorded"
accepted server | grep -q " container=${id:0:12} .*service=${id:0:12} " || fail "the container has no label of its own"
if accepted server | grep ' service=depth\( \|$\)'; then fail "a brief process is a service of its own"; fi
if accepted server | grep ' container=' | grep -v "service=${id:0:12} "; then fail "another service has the container"; fi
