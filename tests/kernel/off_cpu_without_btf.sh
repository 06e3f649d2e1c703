#!/bin/bash
# Without BTF, the kernel's type information, the profiler still sees when threads leave their CPUs. The same waits are
# as long.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu
need_command unshare mount

mkdir "$tmp/empty"
start "$WORKLOADS/mixed" 600
# shellcheck disable=SC2016
ahead=(unshare --mount --propagation private bash -c 'mount --bind "$1" /sys/kernel/btf && shift && exec "$@"' sh "$tmp/empty")
# Prints the kernel's own count of rests.
rests_of() { awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$started/status"; }
before=$(rests_of)
begin -e off-cpu --state interruptible -p "$started" -o - -o "$tmp/a.folded" -o "$tmp/a.pb.gz"
wait_until has_begun
begun=$(rests_of)
has_rested() { (($(rests_of) >= begun + 60)); }
wait_until has_rested
ended=$(rests_of)
kill -INT "$profiler"
finish
after=$(rests_of)
mv "$tmp/a.folded" "$tmp/out"
expect_status 0
expect_balance
expect_err 'no BTF'
# It rests 9 of 16 ms; on a busy machine it rests less often and longer. The run may cut the first and the last rest.
all_us=$(length_us "$tmp/a.pb.gz")
expect_between "$recorded" $((ended - begun - 2)) $((after - before + 2)) "rests"
expect_between "$(folded_total '^mixed;.*;do_nanosleep;')" $(((recorded - 2) * 9000)) $((all_us - (recorded - 2) * 7000)) "microseconds of rest"
expect_absent ';(bpf_prog_|bpf_trace_run|__traceiter_|perf_trace_|trace_call_bpf)'

# shellcheck disable=SC2016
run unshare --mount --propagation private bash -c 'mount --bind "$1" /sys/kernel/btf && shift && exec "$@"' sh "$tmp/empty" \
  "$PROFILE" -e off-cpu -- true
expect_status 1
expect_err '^profile: .*no BTF'
