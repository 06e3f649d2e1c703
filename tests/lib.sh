# shellcheck shell=bash
# What the shell tests share. A test begins with: source "$(dirname "$0")/../lib.sh"
# It is given PROFILE (the program), WORKLOADS (a directory of small programs with known stacks), SOURCE_DIR, BUILD_DIR and
# SANITIZED (1 or 0), has an empty directory of its own as $tmp, fails by `fail`, and leaves nothing behind.
set -u
: "${PROFILE:?}" "${WORKLOADS:?}" "${SOURCE_DIR:?}" "${BUILD_DIR:?}" "${SANITIZED:?}"

# As CTest calls it: folder.script
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
# Not for a time-out: CTest stops the test and kills it and its children, so that no trap runs.
trap 'exit 1' TERM INT HUP

# What the last run wrote stands behind the reason: nobody can ask a machine that is gone.
fail() {
  local written
  printf 'FAILED %s:%s: %s\n' "${BASH_SOURCE[-1]##*/}" "${BASH_LINENO[-2]}" "$*"
  for written in err out; do
    if [[ -s $tmp/$written ]]; then printf 'its std%s:\n' "$written" && tail -n 15 "$tmp/$written" | cut -c 1-300; fi
  done
  exit 1
}
# CTest shows no reason; scripts/test shows it from the file named for the test.
skip() {
  printf 'skipped: %s\n' "$*"
  mkdir -p "$BUILD_DIR/skipped" && printf '%s\n' "$*" >"$BUILD_DIR/skipped/$test_name"
  exit 77
}

# Where all packages that the tests want are promised.
is_debian_12() { grep -qs '^ID=debian' /etc/os-release && grep -q '^VERSION_ID="12"' /etc/os-release; }
# without WHAT WHY : a part of a test that is left out: a note elsewhere, a failure there.
without() {
  if is_debian_12; then fail "$1: $2"; fi
  printf 'left out: %s: %s\n' "$1" "$2"
}

need_command() {
  local command
  for command; do command -v "$command" >/dev/null || skip "there is no $command here"; done
}
need_root() { ((EUID == 0)) || skip "needs root"; }
# Whether BPF programs can be loaded and perf events opened here at all; what the profiler makes of it is the test's matter.
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
# Whether the kernel lets user stacks be walked by the tables of their files.
walks_by_tables() { "$PROFILE" -q -U --unwind cfi 0.05 >/dev/null 2>&1; }

# A BPF file system of this test's own, at $tmp/bpffs: maps pinned there are gone when the test is.
mount_bpffs() {
  mkdir "$tmp/bpffs"
  mount -t bpf bpf "$tmp/bpffs" || { rmdir "$tmp/bpffs"; skip "a BPF file system cannot be mounted here"; }
}

# tied COMMAND... : becomes it; it is killed when the test is, even by SIGKILL, for which no trap runs. A function of the test is
# called, and has to tie what it starts.
tied() {
  if [[ $(type -t -- "$1") == function ]]; then "$@"; elif command -v setpriv >/dev/null; then exec setpriv --pdeathsig KILL "$@"; else exec "$@"; fi
}
# start COMMAND... : runs it in the background until the test ends; its pid is $started. Its output goes to $tmp/started.
start() {
  tied "$@" >"$tmp/started" 2>&1 </dev/null &
  started=$!
  background+=("$started")
}

# line_of WORKLOAD FUNCTION : in which line of workloads/WORKLOAD.c the function stands.
line_of() {
  local line
  line=$(grep -nE "^[a-zA-Z].* $2\(" "$SOURCE_DIR/tests/workloads/$1.c" | cut -d : -f 1)
  [[ $line =~ ^[0-9]+$ ]] || fail "$1.c: '$2' stands in line '$line'"
  printf '%s\n' "$line"
}

# has_samples FILE PATTERN... : each has one among the folded lines.
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
# profile_until CONDITION ARGUMENT... : for half a second, and for longer until the condition holds: a machine that stalls gives few
# samples in a short time. The runs must succeed.
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
# What `run` left, for a failure's message.
outcome() { printf 'status %s\nstdout:\n%s\nstderr:\n%s' "$status" "$(head -n 40 "$tmp/out")" "$(head -n 40 "$tmp/err")"; }

expect_status() { [[ $status == "$1" ]] || fail "exit status $1 expected; $(outcome)"; }
# The pattern is an extended regular expression, for one line.
expect_out() { grep -Eq -- "$1" "$tmp/out" || fail "no line on stdout matches '$1'; $(outcome)"; }
expect_no_out() { if grep -Eq -- "$1" "$tmp/out"; then fail "a line on stdout matches '$1'; $(outcome)"; fi; }
expect_err() { grep -Eq -- "$1" "$tmp/err" || fail "no line on stderr matches '$1'; $(outcome)"; }
expect_no_err() { if grep -Eq -- "$1" "$tmp/err"; then fail "a line on stderr matches '$1'; $(outcome)"; fi; }
expect_silence() { [[ ! -s $tmp/$1 ]] || fail "std$1 should be empty; $(outcome)"; }
expect_equal() { [[ $1 == "$2" ]] || fail "${3:-value}: '$2' expected, '$1' found"; }
# expect_between VALUE LOW HIGH WHAT : numbers, decimals allowed.
expect_between() {
  awk -v value="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(value >= low && value <= high) }' ||
    fail "${4:-value}: $1 is not between $2 and $3"
}

# reason_against EVENT FILE : why that is not there, by an answer to --list-events; nothing when it is.
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

# folded_total [PATTERN] [FILE] : the counts of the folded lines that match, added up.
folded_total() {
  grep -E -- "${1:-.}" "${2:-$tmp/out}" | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}
# share_of PATTERN [FILE] : the percentage of all samples whose folded line matches.
share_of() {
  awk -v part="$(folded_total "$1" "${2:-$tmp/out}")" -v all="$(folded_total . "${2:-$tmp/out}")" \
    'BEGIN { printf "%.2f\n", all ? 100 * part / all : 0 }'
}
