#!/bin/bash
# The output of --format perf-script and --stream=perf-script follows the grammar of perf-script(1). Every format that
# the profiler writes is read back with the same total.
source "$(dirname "$0")/../lib.sh"
need_command python3
cd "$tmp" || exit 1

check() { run python3 "$SOURCE_DIR/tests/tools/validate_perf_script.py" "$@"; }
{
  printf 'dd;main;(anonymous namespace)::f;do_syscall_64_[k];vfs_read_[k] 70\n'
  printf 'pool 1 2/3 [0] 1.0: x:;main;std::map<int, int>::find(int const&) [a b] 12\n'
  printf 'a;[unknown];[web+0x1f] 3\n'
  printf '9x;[Missed User Stack];do_syscall_64_[k] 6\n'
  printf 'idle 2\n'
} >a.folded
profile report -o a.perf a.folded
expect_status 0
check --ordered a.perf
expect_status 0
expect_equal "$(<out)" '93 93 5' "events, total and lanes"
profile report -f a.perf
expect_status 0
expect_equal "$(folded_total . out)" 93 "total of a.perf"
expect_out '^dd;main;\(anonymous namespace\)::f;do_syscall_64;vfs_read 70$'
expect_out '^9x;\[Missed User Stack\];do_syscall_64 6$'
expect_out '^idle 2$'

# With more than a million samples each stack is one event, and the total stays the same.
printf 'dd;main 3000000\ndd;main;f 1\n' >many.folded
profile report -o many.perf many.folded
check many.perf
expect_equal "$(<out)" '2 3000001 1' "events of three million samples"

# rejected EXPRESSION WHAT : sed's EXPRESSION breaks a good file, and the validator says so.
rejected() {
  sed "$1" a.perf >bad
  check bad
  expect_status 1
  expect_err "$2"
}
rejected '1d' 'no header'
rejected 's/unit = samples/unit = pounds/' 'unit'
rejected 's/^dd  4/dd 7  4/' 'before a digit'
rejected 's/ ::(anon/ (anon/' 'no frame'
rejected 's/ (\[kernel.kallsyms\])/ ([kernel kallsyms])/' 'no frame'
rejected 's/:          1 cpu/:          0 cpu/; s/:          1 samples/:          0 samples/' 'worth nothing'

# Every format is read back with its total, except that speedscope's total is a time.
for format in counted folded pprof json perf-script; do
  profile report --format "$format" -o "b.$format" a.folded
  expect_status 0
  profile report -f "b.$format"
  expect_status 0
  expect_equal "$(folded_total . out)" 93 "total by way of $format"
  gzip -fk "b.$format"
  if [[ $format == pprof ]]; then continue; fi
  profile report -f "b.$format.gz"
  expect_equal "$(folded_total . out)" 93 "total by way of compressed $format"
  profile diff "b.$format" a.folded
  expect_status 0
  expect_out '^No function gained\.$'
done

need_kernel
start "$WORKLOADS/leaves" 600
has_heavy() { has_samples "$tmp/r.folded" ';heavy '; }
profile_until has_heavy -F 999 -p "$started" -o r.folded -o r.json -o r.pb.gz -o r.perf -o r.txt -o r.speedscope.json
total=$(folded_total . r.folded)
for file in r.json r.pb.gz r.perf r.txt; do
  profile report -f "$file"
  expect_status 0
  expect_equal "$(folded_total . out)" "$total" "total of $file"
  expect_out ';main;outer;middle;heavy '
done
profile report -f r.speedscope.json
expect_equal "$(folded_total . out)" $((total * 1001001)) "nanoseconds of r.speedscope.json"
check --ordered r.perf
expect_status 0
expect_equal "$(<out)" "$total $total 1" "events, total and lanes of a run"
has_event() { grep -q 'heavy' "$tmp/s.perf"; }
profile_until has_event --stream=perf-script -F 999 -p "$started" -o s.perf
check --ordered s.perf
expect_status 0
read -r events sum lanes <out
expect_equal "$events $lanes" "$sum 1" "events and lanes of the stream"
profile report -f s.perf
expect_equal "$(folded_total . out)" "$sum" "total of the stream"
profile report -f -o stream.folded s.perf
has_samples stream.folded ';main;outer;middle;heavy ' || fail "no heavy in $(cat stream.folded)"
