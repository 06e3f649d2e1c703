# shellcheck shell=bash
# The functions that the shell tests share. A test begins with: source "$(dirname "$0")/../lib.sh"
# ctest sets PROFILE (the program), WORKLOADS (a directory of small programs with known stacks), SOURCE_DIR, BUILD_DIR
# and SANITIZED (1 or 0). Each test has its own empty directory $tmp, reports failure by `fail`, and leaves nothing
# behind.
set -u
: "${PROFILE:?}" "${WORKLOADS:?}" "${SOURCE_DIR:?}" "${BUILD_DIR:?}" "${SANITIZED:?}"

# The name that ctest uses: folder.script
test_name=$(basename "$(dirname "$(readlink -f "$0")")").$(basename "$0" .sh)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/profile-test.XXXXXX") || exit 1
background=()
clean_up() {
  if ((${#background[@]} != 0)); then
    kill -KILL "${background[@]}"
    wait "${background[@]}"
  fi 2>/dev/null
  if [[ -d $tmp/bpffs ]]; then umount "$tmp/bpffs"; fi
  if mountpoint -q "$tmp/disk"; then umount -l "$tmp/disk"; fi
  rm -rf "$tmp"
}
trap clean_up EXIT
# This does not cover a time-out: ctest then kills the test and its children, so no trap runs.
trap 'exit 1' TERM INT HUP

# Prints the end of the last run's output after the reason, because the machine may not exist later.
fail() {
  local written
  printf 'FAILED %s:%s: %s\n' "${BASH_SOURCE[-1]##*/}" "${BASH_LINENO[-2]}" "$*"
  for written in err out; do
    if [[ -s $tmp/$written ]]; then printf 'its std%s:\n' "$written" && tail -n 15 "$tmp/$written" | cut -c 1-300; fi
  done
  exit 1
}
# ctest does not show the reason of a skip. scripts/test reads it from the file with the name of the test.
skip() {
  printf 'skipped: %s\n' "$*"
  mkdir -p "$BUILD_DIR/skipped" && printf '%s\n' "$*" >"$BUILD_DIR/skipped/$test_name"
  exit 77
}

# Only Debian 12 guarantees all packages that the tests use.
is_debian_12() { grep -qs '^ID=debian' /etc/os-release && grep -q '^VERSION_ID="12"' /etc/os-release; }
# without WHAT WHY : leaves out a part of a test. On Debian 12 that is a failure; elsewhere it is only a message.
without() {
  if is_debian_12; then fail "$1: $2"; fi
  printf 'left out: %s: %s\n' "$1" "$2"
}

need_command() {
  local command
  for command; do command -v "$command" >/dev/null || skip "there is no $command here"; done
}
need_root() { ((EUID == 0)) || skip "needs root"; }
# Skips unless this machine can load BPF programs and open perf events. The tests themselves check what the profiler
# does there.
need_kernel() {
  need_root
  local capabilities
  capabilities=0x$(sed -n 's/^CapEff:\t//p' /proc/self/status)
  # 21: CAP_SYS_ADMIN
  ((capabilities >> 21 & 1)) || skip "root has no CAP_SYS_ADMIN here (a container?)"
  [[ -e /proc/sys/kernel/perf_event_paranoid ]] || skip "this kernel has no perf events"
  [[ -r /sys/kernel/btf/vmlinux ]] || skip "this kernel has no BTF (/sys/kernel/btf/vmlinux)"
  PATH=$PATH:/usr/sbin bpftool prog show >/dev/null 2>&1 || skip "the bpf system call is not to be had here"
}
# True when the kernel can walk user stacks by the unwind tables of the files.
walks_by_tables() { "$PROFILE" -q -U --unwind cfi 0.05 >/dev/null 2>&1; }

# Mounts the test's own BPF file system at $tmp/bpffs. The maps that are pinned there vanish with the test.
mount_bpffs() {
  mkdir "$tmp/bpffs"
  mount -t bpf bpf "$tmp/bpffs" || { rmdir "$tmp/bpffs"; skip "a BPF file system cannot be mounted here"; }
}

# tied COMMAND... : replaces the shell with the command. The command is killed when the test ends, even by SIGKILL, for
# which no trap runs. A function is called in the shell and must itself tie the programs that it starts.
tied() {
  if [[ $(type -t -- "$1") == function ]]; then "$@"; elif command -v setpriv >/dev/null; then exec setpriv --pdeathsig KILL "$@"; else exec "$@"; fi
}
# start COMMAND... : runs the command in the background until the test ends. Sets $started to its pid; its output goes
# to $tmp/started.
start() {
  tied "$@" >"$tmp/started" 2>&1 </dev/null &
  started=$!
  background+=("$started")
}

# line_of WORKLOAD FUNCTION : prints the line number of the function in workloads/WORKLOAD.c.
line_of() {
  local line
  line=$(grep -nE "^[a-zA-Z].* $2\(" "$SOURCE_DIR/tests/workloads/$1.c" | cut -d : -f 1)
  [[ $line =~ ^[0-9]+$ ]] || fail "$1.c: '$2' stands in line '$line'"
  printf '%s\n' "$line"
}

# has_samples FILE PATTERN... : true when each pattern matches a folded line of the file.
has_samples() {
  local pattern
  for pattern in "${@:2}"; do grep -Eq -- "$pattern" "$1" || return; done
}

status='of nothing yet'
# run COMMAND... : leaves its stdout in $tmp/out, its stderr in $tmp/err and its exit status in $status.
run() {
  "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
  status=$?
}
# profile [ARGUMENTS...] : the same for the profiler.
profile() { run "$PROFILE" "$@"; }
# profile_until CONDITION ARGUMENT... : profiles for half a second, and then longer until the condition holds, because a
# busy machine gives few samples in a short time. Each run must succeed.
profile_until() {
  local condition=$1 seconds
  shift
  for seconds in 0.5 2 8 32; do
    profile "$@" "$seconds"
    expect_status 0
    if "$condition"; then return; fi
  done
  fail "not even in half a minute: $condition; $(outcome)"
}
# Prints the result of `run`, for the message of a failure.
outcome() { printf 'status %s\nstdout:\n%s\nstderr:\n%s' "$status" "$(head -n 40 "$tmp/out")" "$(head -n 40 "$tmp/err")"; }

expect_status() { [[ $status == "$1" ]] || fail "exit status $1 expected; $(outcome)"; }
# The pattern is an extended regular expression and must match one line.
expect_out() { grep -Eq -- "$1" "$tmp/out" || fail "no line on stdout matches '$1'; $(outcome)"; }
expect_no_out() { if grep -Eq -- "$1" "$tmp/out"; then fail "a line on stdout matches '$1'; $(outcome)"; fi; }
expect_err() { grep -Eq -- "$1" "$tmp/err" || fail "no line on stderr matches '$1'; $(outcome)"; }
expect_no_err() { if grep -Eq -- "$1" "$tmp/err"; then fail "a line on stderr matches '$1'; $(outcome)"; fi; }
expect_silence() { [[ ! -s $tmp/$1 ]] || fail "std$1 should be empty; $(outcome)"; }
expect_equal() { [[ $1 == "$2" ]] || fail "${3:-value}: '$2' expected, '$1' found"; }
# expect_between VALUE LOW HIGH WHAT : the values may have decimals.
expect_between() {
  awk -v value="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(value >= low && value <= high) }' ||
    fail "${4:-value}: $1 is not between $2 and $3"
}

# reason_against EVENT FILE : prints why an event is not available, from the output of --list-events. Prints nothing
# when it is available.
reason_against() {
  awk -v event="$1" '
    /^[A-Z]/ { name = ""; of_all = "" }
    sub(/^ +none of them here: /, "") { of_all = $0; next }
    name == "" && /^   / { sub(/^ +/, " "); of_all = of_all $0; next }
    /^  [^ ]/ { name = $1; sub(/,$/, "", name); if (name == event) reason = of_all }
    name != event { next }
    sub(/^ +not here: /, "") { reason = $0; more = 1; next }
    more && /^ {34}/ { sub(/^ +/, " "); reason = reason $0 }
    END { print reason }' "$2"
}

# folded_total [PATTERN] [FILE] : prints the sum of the counts of the folded lines that match.
folded_total() {
  grep -E -- "${1:-.}" "${2:-$tmp/out}" | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}
# share_of PATTERN [FILE] : prints the percentage of all samples whose folded lines match.
share_of() {
  awk -v part="$(folded_total "$1" "${2:-$tmp/out}")" -v all="$(folded_total . "${2:-$tmp/out}")" \
    'BEGIN { printf "%.2f\n", all ? 100 * part / all : 0 }'
}
