#!/bin/bash
# A kernel that tells nothing of its types still tells when threads leave their CPUs: the same waits come out as long.
source "$(dirname "$0")/sampling.bash"
need_command unshare mount

mkdir "$tmp/empty"
start "$WORKLOADS/mixed" 20
# shellcheck disable=SC2016
run unshare --mount --propagation private bash -c 'mount --bind "$1" /sys/kernel/btf && shift && exec "$@"' sh "$tmp/empty" \
  "$PROFILE" -e off-cpu -f -p "$started" 2
expect_status 0
expect_balance
expect_err 'no BTF'
# It rests 9 of 16 milliseconds.
expect_between "$(folded_total '^mixed;.*;do_nanosleep;')" 950000 1250000 "microseconds of rest"
expect_absent ';(bpf_prog_|bpf_trace_run|__traceiter_|perf_trace_|trace_call_bpf)'

# shellcheck disable=SC2016
run unshare --mount --propagation private bash -c 'mount --bind "$1" /sys/kernel/btf && shift && exec "$@"' sh "$tmp/empty" \
  "$PROFILE" -e off-cpu -- true
expect_status 1
expect_err '^profile: .*no BTF'
