#!/bin/bash
# --command-lines shows the arguments of programs, also of those that end at once, and without it no output has any.
source "$(dirname "$0")/sampling.bash"

# Each is a program of its own that computes for a while. The first argument tells them apart.
cat >"$tmp/many.sh" <<'END'
for file in slow.cpp quick.cpp; do
  seconds=0.6cpu
  [[ $file == quick.cpp ]] && seconds=0.1cpu
  "$1" "$file" 'a;b c' "$seconds" &
done
wait
END
sample -F 997 --command-lines -o "$tmp/a.folded" -o "$tmp/a.json" -o "$tmp/a.html" -- bash "$tmp/many.sh" "$WORKLOADS/leaves"
expect_balance
expect_present '^leaves slow\.cpp a:b c 0\.6cpu;.*;heavy [0-9]+$' "$tmp/a.folded"
expect_present '^leaves quick\.cpp a:b c 0\.1cpu;.*;heavy [0-9]+$' "$tmp/a.folded"
slow=$(folded_total '^leaves slow' "$tmp/a.folded")
quick=$(folded_total '^leaves quick' "$tmp/a.folded")
((slow > quick && quick > 0)) || fail "$slow samples of the slow one and $quick of the other"
grep -q 'leaves slow.cpp a;b c' "$tmp/a.json" || fail "JSON has no command line"

# Those that end at once have theirs, too, and a process that was forked from them.
sample -F 4999 --command-lines -o "$tmp/b.folded" -- bash -c 'for i in {1..200}; do /bin/true one two; done; (while ((++n < 300000)); do :; done); :'
expect_balance
# A moment of the exec belongs to the process before it, with the name of the next program.
! grep -E '^true;' "$tmp/b.folded" | grep -v ';\[exec\];.*;begin_new_exec;' || fail "programs without a command line"
expect_present '^true one two;' "$tmp/b.folded"
expect_present '^bash -c for i in .*[0-9]$' "$tmp/b.folded"

# A process that runs already, and one that changes its program while it is sampled.
burn leaves 600/3
runs=$started
has_line() { grep -qE '^leaves 600/3;' "$tmp/c.folded"; }
profile_until has_line -F 999 --command-lines -p "$runs" -o "$tmp/c.folded"
expect_no_err 'have only a name'

# It merges by the line, and never shows one by itself.
profile -F 997 --command-lines --merge-processes -o "$tmp/d.folded" -- bash "$tmp/many.sh" "$WORKLOADS/leaves"
expect_status 0
expect_present '^leaves slow\.cpp ' "$tmp/d.folded"
profile -F 997 -o "$tmp/e.folded" -o "$tmp/e.json" -- bash "$tmp/many.sh" "$WORKLOADS/leaves"
expect_status 0
expect_present '^leaves;.*;heavy ' "$tmp/e.folded"
# The command itself is in the heading, its children's arguments nowhere.
for file in "$tmp/e.folded" "$tmp/e.json"; do
  ! grep -q 'slow\.cpp' "$file" || fail "arguments in $file"
done
