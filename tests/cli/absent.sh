#!/bin/bash
# A well-formed value for something that does not exist: exit status 1 and one line that names the option and the value.
source "$(dirname "$0")/../lib.sh"

# absent TEXT -- ARGUMENT...
absent() {
  local text=$1
  shift 2
  profile "$@"
  expect_status 1
  expect_silence out
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr for $*"
  [[ $(cat "$tmp/err") == "profile: "*"$text"* ]] || fail "no '$text' for $*; $(outcome)"
}

# An id that no process has: the kernel gives only ids below this one.
nobody=$(cat /proc/sys/kernel/pid_max)
((nobody < 4194304)) || nobody=4194304
absent "-p $nobody" -- -p "$nobody" 1
absent "-p $nobody" -- -p "$$,$nobody" 1
absent "-L $nobody" -- -L "$nobody" 1
absent '-C 4000' -- -C 4000 1
absent '-C 4000' -- -C 0,4000 1
depth=$(($(cat /proc/sys/kernel/perf_event_max_stack) + 1))
absent "--max-stack-depth $depth" -- --unwind fp --max-stack-depth "$depth" 1
absent "--max-stack-depth $depth" -- -e off-cpu --unwind fp --max-stack-depth "$depth" 1
absent "--debug-dir $tmp/absent: No such file or directory" -- --debug-dir "$tmp/absent" 1
absent "--debug-dir /etc/passwd: Not a directory" -- --debug-dir /etc/passwd 1

# A thread that is not a process must be distinguished from an unknown id; this shell has only one thread.
tasks=(/proc/"$$"/task/*)
expect_equal "${#tasks[@]}" 1 "threads of a shell"

mkdir "$tmp/folder"
for path in "$tmp/absent/a.folded" "$tmp/folder" "$tmp/file/a.txt"; do
  : >"$tmp/file"
  absent "$path" -- -o "$path" 1
done
# When one output cannot be made, none is.
absent "$tmp/absent/b" -- -o "$tmp/absent/b" -o "$tmp/c.txt" 1
[[ ! -e $tmp/c.txt ]] || fail "an output was made although the run did not begin"
# The same for an output through a link with a missing target: the link stays, and so does a file that existed before.
ln -s behind "$tmp/link.txt"
absent "$tmp/absent/b" -- -o "$tmp/link.txt" -o "$tmp/absent/b" 1
[[ ! -e $tmp/behind && -L $tmp/link.txt ]] || fail "an output was made behind a link although the run did not begin"
: >"$tmp/behind"
absent "$tmp/absent/b" -- -o "$tmp/link.txt" -o "$tmp/absent/b" 1
[[ -e $tmp/behind ]] || fail "a file that was there has gone"
absent "$tmp/absent/b" -- -o "$tmp/c.txt" -o "$tmp/absent/b" 1
[[ ! -e $tmp/c.txt ]] || fail "an output is left although the run did not begin"
