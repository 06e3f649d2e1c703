#!/bin/bash
# Without privilege one line names the missing capabilities. With exactly those everything works.
source "$(dirname "$0")/sampling.bash"
chmod 755 "$tmp"
cp "$PROFILE" "$tmp/program"

run as_nobody --inh-caps=-all --bounding-set=-all "$tmp/program" -f 1
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
expect_err '^profile: .*sudo.*cap_bpf.*cap_perfmon'
expect_silence out
granted=$(grep -oE 'cap_[a-z_]+(,cap_[a-z_]+)*' "$tmp/err" | head -n 1)

# Root of a user namespace does not have these rights.
if unshare -Ur true 2>/dev/null; then
  run unshare -Ur "$tmp/program" -f 1
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err '^profile: .*user namespace'
fi

# A seccomp filter is named for each error that it may return. ENOSYS can only come from a filter, because a security
# module never returns it. This filter refuses only bpf.
if [[ $(uname -m) == x86_64 ]]; then
  for error in EPERM ENOSYS; do
    run /usr/bin/python3 -c '
import ctypes, errno, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
bpf, allow, refuse = 321, 0x7fff0000, 0x50000 | getattr(errno, sys.argv[1])
code = b"".join(struct.pack("HBBI", *step) for step in ((0x20, 0, 0, 0), (0x15, 0, 1, bpf), (6, 0, 0, refuse), (6, 0, 0, allow)))
steps = ctypes.create_string_buffer(code)
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(steps)))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
    sys.exit("no filter")
os.execv(sys.argv[2], sys.argv[2:])' "$error" "$PROFILE" -f 0.1
    expect_status 1
    expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
    expect_err "^profile: a seccomp filter \\(a container's\\?\\)( or a security module.*)? refuses to load BPF programs"
    if [[ $error == ENOSYS ]]; then expect_no_err 'security module'; fi
  done
fi

# CAP_BPF alone is not enough for perf events. The message names kernel.perf_event_paranoid with its value.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
at_exit "echo $paranoid >/proc/sys/kernel/perf_event_paranoid"
for level in 2 3; do
  echo $level >/proc/sys/kernel/perf_event_paranoid
  run as_nobody --inh-caps=-all,+bpf --ambient-caps=-all,+bpf --bounding-set=-all,+bpf "$tmp/program" -f 1
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err '^profile: .*sudo.*cap_perfmon'
  expect_silence out
done

# The same as setcap on the file: here as ambient capabilities of the user nobody.
burn leaves 600
set=-all,$(sed 's/cap_/+/g' <<<"$granted")
as_granted() { run as_nobody --inh-caps="$set" --ambient-caps="$set" --bounding-set="$set" "$tmp/program" "$@"; }
# Only Debian's kernels have level 3, which requires more than these capabilities.
as_granted -f 0.1
if ((status != 0)); then
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err '^profile: .*perf_event_paranoid is 3, .*cap_sys_admin.* set it to 2$'
fi
echo 2 >/proc/sys/kernel/perf_event_paranoid
wait_until is_at_work "$started"
for seconds in 0.6 6 60; do
  as_granted -f -F 499 -p "$started" $seconds
  expect_status 0
  expect_balance
  expect_folded_total
  if are_many; then break; fi
done
expect_share ';main;outer;middle;(heavy|light)( |;)' 90 100

# With setcap itself, any user who may run the file can profile. The children keep that user's id and drop what they
# can.
status_line() { sed -n "s/^$2:[[:blank:]]*//p" "/proc/$1/status"; }
if command -v setcap >/dev/null && setcap "$granted+ep" "$tmp/program" 2>/dev/null && "$tmp/program" --version >/dev/null; then
  for uid in 65534 2000000123; do
    setpriv --reuid="$uid" --regid="$uid" --clear-groups "$tmp/program" -f -F 499 -p "$started" 600 >"$tmp/out" 2>"$tmp/err" </dev/null &
    profiler=$!
    background+=("$profiler")
    find_children() {
      keeper=$(pgrep -x -P "$profiler" profile-keeper) && parser=$(pgrep -x -P "$keeper" profile-parser) &&
        [[ $(status_line "$parser" Seccomp) == 2 ]] && opener=$(pgrep -x -P "$keeper" profile-opener)
    }
    wait_until find_children
    let_work "$started" 30
    expect_equal "$(status_line "$parser" CapPrm)" 0000000000000000 "capabilities of the parser"
    # The opener has at most the capabilities that it has under root.
    ((0x$(status_line "$opener" CapPrm) & ~(1 << 2 | 1 << 19 | 1 << 21 | 1 << 40))) &&
      fail "the opener has $(status_line "$opener" CapPrm)"
    for child in "$keeper" "$opener" "$parser"; do
      expect_equal "$(status_line "$child" NoNewPrivs)" 1 "NoNewPrivs of $(cat "/proc/$child/comm")"
      # Even another process of that user must not read its memory.
      expect_equal "$(stat -c %u "/proc/$child/mem")" 0 "owner of the memory of $(cat "/proc/$child/comm")"
    done
    kill -INT "$profiler"
    finish
    expect_status 0
    expect_balance
    expect_share ';main;outer;middle;(heavy|light)( |;)' 90 100
  done
else
  echo "left out: no capabilities can be given to a file here"
fi

# The profiler raises a limit of open files that is too low, if it may. Otherwise one line says what is needed; the
# command keeps the old limit.
with_few_files() (ulimit "$1" 16 && exec "${@:2}")
weak=(setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource)
run with_few_files -Sn "$PROFILE" -f -- bash -c 'ulimit -n'
expect_status 0
expect_equal "$(head -n 1 "$tmp/out")" 16 "limit of the command"
run with_few_files -Sn "${weak[@]}" "$PROFILE" -f 0.1
expect_status 0
expect_balance
run with_few_files -n "${weak[@]}" "$PROFILE" -f -o "$tmp/a.folded" 0.1
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
expect_err '^profile: the limit of open files is 16, .* needs [0-9]+; raise it: ulimit -n [0-9]+$'
[[ ! -e $tmp/a.folded ]] || fail "a report of nothing was left"
