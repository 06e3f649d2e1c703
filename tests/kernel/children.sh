#!/bin/bash
# The profiler's children, which read untrusted files: which rights and descriptors each has, that they end with the
# profiler however it ends, and that reports do not show them.
source "$(dirname "$0")/children.bash"

burn leaves 600/3
leaves=$started
exec 9<"$SOURCE_DIR/LICENSE" || fail "there is no file for the children not to inherit"
need_command setpriv
begin -f -F 199 -i 0.2 -o "$tmp/part-%02d.folded"
for name in "${children[@]}"; do wait_until has_child "$name"; done
wait_until test -s "$tmp/part-00.folded" -o -s "$tmp/part-01.folded"

keeper=$(child profile-keeper)
expect_equal "$(awk '{ print $6 }' "/proc/$keeper/stat")" "$keeper" "session of the keeper"
for name in "${children[@]}"; do
  pid=$(child "$name")
  echo "$name $pid"
  [[ $(awk '{ print $6 }' "/proc/$pid/stat") != "$(awk '{ print $6 }' "/proc/$profiler/stat")" ]] || fail "$name: in the profiler's session"
  expect_equal "$(awk '{ print $7 }' "/proc/$pid/stat")" 0 "terminal of $name"
  for number in 0 1 2; do
    expect_equal "$(readlink "/proc/$pid/fd/$number")" /dev/null "descriptor $number of $name"
  done
  for descriptor in "/proc/$pid/fd"/*; do
    target=$(readlink "$descriptor") || continue
    # The files that the children read may be open. Descriptors that were inherited, and the main process's own, may
    # not.
    case $target in
      /dev/null | socket:* | anon_inode:\[event* | anon_inode:\[pidfd\] | pipe:*) ;;
      "$SOURCE_DIR/LICENSE" | "$tmp"/* | anon_inode:* | /sys/*) fail "$name holds $target as ${descriptor##*/}" ;;
      *) [[ $name != profile-keeper ]] || fail "the keeper holds $target" ;;
    esac
  done
  # Even a user with its uid must not look into it.
  expect_equal "$(stat -c %u "/proc/$pid/mem")" 0 "owner of the memory of $name"
  expect_equal "$(status_of "$pid" NoNewPrivs)" 1 "NoNewPrivs of $name"
done

# The opener has only the capabilities that opening needs: CAP_DAC_READ_SEARCH (2), CAP_SYS_PTRACE (19) and
# CAP_CHECKPOINT_RESTORE (40). Where the last one does not exist, it has CAP_SYS_ADMIN (21).
opener=$(child profile-opener)
allowed=$((1 << 2 | 1 << 19 | 1 << 40))
if ! grep -qw CAP_CHECKPOINT_RESTORE /usr/include/linux/capability.h 2>/dev/null || (($(cat /proc/sys/kernel/cap_last_cap) < 40)); then
  allowed=$((1 << 2 | 1 << 19 | 1 << 21))
fi
for set in CapEff CapPrm; do
  ((0x$(status_of "$opener" $set) & ~allowed)) && fail "the opener has more in $set: $(status_of "$opener" $set)"
done
expect_equal "$(status_of "$opener" CapInh)" 0000000000000000 "CapInh of the opener"

parser=$(child profile-parser)
for set in CapInh CapPrm CapEff CapAmb; do
  expect_equal "$(status_of "$parser" $set)" 0000000000000000 "$set of the parser"
done
expect_equal "$(status_of "$parser" Seccomp)" 2 "Seccomp of the parser"
for uid in $(status_of "$parser" Uid); do ((uid != 0)) || fail "the parser is root: $(status_of "$parser" Uid)"; done
expect_equal "$(status_of "$parser" Groups)" '' "groups of the parser"
if ((SANITIZED == 0)); then
  expect_between "$(awk '/^Max data size/ { print $4 == "unlimited" ? 0 : $4 }' "/proc/$parser/limits")" 1 100000000000 "bytes it may have"
fi

# Of its own processes, the profiler may show at most the main process.
kill -INT "$profiler"
finish
expect_status 0
expect_balance
cat "$tmp"/part-*.folded >"$tmp/out"
expect_present '^leaves;(.*;)?main;outer;middle;heavy '
for name in "${children[@]}"; do
  pid=$(pgrep -x "$name") || continue
  for one in $pid; do [[ $one != @($keeper|$opener|$parser) ]] || wait_until is_gone "$one"; done
done

# --- they end with the profiler, immediately
begin -f -F 99
for name in "${children[@]}"; do wait_until has_child "$name"; done
pids=()
for name in "${children[@]}"; do pids+=("$(child "$name")"); done
kill -KILL "$profiler"
for pid in "${pids[@]}"; do wait_until is_gone "$pid"; done
finish
expect_status 137

# No child keeps open the stdout that the shell waits for.
began_us=${EPOCHREALTIME/./}
taken=$("$PROFILE" -f -F 499 -- "$WORKLOADS/leaves" 0.2cpu 2>/dev/null) || fail "in a substitution: status $?"
expect_between $((${EPOCHREALTIME/./} - began_us)) 0 $((60000000 * slowness)) "microseconds of a substitution"
[[ $taken == *';heavy '* ]] || fail "no names in a substitution"
"$PROFILE" -f -F 499 -- "$WORKLOADS/leaves" 0.2cpu 2>/dev/null | grep -q ';heavy ' || fail "no names in a pipe"

# --- COMMAND's children are its own
sample_folded -F 999 -- sh -c "'$WORKLOADS/leaves' 0.2cpu; :"
expect_present '^leaves;'
expect_absent '^profile-'
if has_event syscalls; then
  profile -e syscalls -f -- "$WORKLOADS/asks" 2000 10
  expect_status 0
  expect_absent '^profile-'
fi
# A shell that waits for all its children does not wait for the profiler's.
profile -f -- bash -c 'sleep 0.1 & wait; pgrep -c -P $$ profile; :'
expect_status 0

# Ctrl-C at a terminal goes to the whole process group. The children are not in that group, and the report has all its
# names.
begin_counted -F 499 -o - -o "$tmp/ended.folded"
let_work "$leaves" 10
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_present '^leaves;(.*;)?main;outer;middle;heavy ' "$tmp/ended.folded"

# Another process with the parser's uid could stop the parser, and so take all names. No other process has that uid.
begin -f -F 99
wait_until has_child profile-parser
if as_nobody -- kill -STOP "$(child profile-parser)" 2>/dev/null; then fail "nobody's processes may send signals to the parser"; fi
kill -INT "$profiler"
finish
expect_status 0
