#!/bin/bash
# A report that this program wrote is read back with its unit, its processes and its account, whatever its format.
source "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# counted HEADER OWNER VALUE... : prints a counted report whose stacks belong to these owners.
counted() {
  printf '%s\n\n' "$1"
  shift
  for (( ; $# > 0; )); do
    printf '    main+0x10 [app]\n    -                %s\n        %s\n\n' "$1" "$2"
    shift 2
  done
}
all='of all threads by user + kernel stack for 5 secs.'
counted "Sampling page-faults at 49 Hertz $all" 'app (7)' 476 >faults.txt
counted "Tracing off-CPU time in microseconds $all" 'app (7)' 900000 >off.txt
counted "Counting syscalls:sys_enter_read $all" 'app (7)' 12 >reads.txt

# bad PATTERN ARGUMENT... : one line names the error, and stdout is empty.
bad() {
  profile "${@:2}"
  expect_status 1
  expect_silence out
  expect_err "^profile: .*$1"
}

# Counted reports say their unit, also those that `report` wrote.
bad 'faults\.txt is in page-faults and off\.txt in microseconds: they cannot be compared' diff faults.txt off.txt
profile report --format json reads.txt
expect_out '"event":"syscalls:sys_enter_read","unit":"syscalls:sys_enter_read"'
profile report -q -o sum.txt off.txt off.txt
bad 'sum\.txt in microseconds: they cannot be compared' diff faults.txt sum.txt
# A report without a stack is one, too.
: >none.folded
profile report -q -o none.txt none.folded
profile report -f none.txt
expect_status 0
expect_silence out
expect_err '^profile: there is no stack in none\.txt$'

# A pprof file has the names of its event and unit only as identifiers, and in a comment.
for kind in faults reads off; do
  profile report -q -o $kind.pb.gz $kind.txt
  expect_status 0
  profile diff $kind.txt $kind.pb.gz
  expect_status 0
  profile report --format table $kind.pb.gz $kind.txt
  expect_status 0
done

# Speedscope has samples as the time that they stand for, so the other file's samples become time.
counted "Sampling at 199 Hertz $all" 'app (7)' 40 >cpu.txt
profile report -q -o cpu.speedscope.json cpu.txt
for order in 'cpu.speedscope.json cpu.txt' 'cpu.txt cpu.speedscope.json'; do
  # shellcheck disable=SC2086
  profile diff $order
  expect_status 0
  expect_out '\(201005040 nanoseconds\).*\(201005040 nanoseconds\)'
done

# The name of a thread may begin with "#", as a comment does.
printf '# 12 samples\n#1 worker;main;work 5\napp;main 1\n' >number_sign.folded
profile report -f number_sign.folded
expect_equal "$(cat "$tmp/out")" $'app;main 1\n#1 worker;main;work 5'

# The account of the samples is shown if every file has one, also by way of JSON.
cat >account.json <<'JSON'
{"profile":{"event":"cpu-clock","unit":"samples","frequency_hz":49,"user_stacks":true,"kernel_stacks":true,"targets":{}},
"account":{"taken":30,"recorded":7,"recorded_by_ring":0,"idle":20,"filtered":0,"lost":3,"lost_ring_full":3,"lost_spans_full":0,"lost_unread":0,"balanced":true},
"ebpf":{"profile":{"unit":"samples","total_value":7,"total_samples":7,"processes":[{"pid":7,"image":0,"name":"app"}],"modules":[],
"frames":[{"process":0,"kind":"user","symbol":"main"}],"stacks":[[0]],"rows":[{"process":0,"thread":"app","user":0,"value":7,"samples":7}]}}}
JSON
profile report -q -o account.svg -o account.pb.gz account.json account.json
expect_status 0
grep -q '60 taken: 14 recorded, 40 idle, 6 lost' account.svg || fail "no account: $(grep -o '[0-9]* taken.*' account.svg)"
profile report -q -o less.svg account.json account.pb.gz cpu.txt
expect_status 0
if grep -q ' taken: ' less.svg; then fail "an account of a part of the samples"; fi

# Threads of one number are one process, so no line names one of several.
counted "Sampling at 99 Hertz $all" 'one (7)' 30 'two (7)' 70 >threads.txt
profile report -q -r threads.txt
expect_status 0
expect_out 'main;$'
expect_no_out '\(7\)'

# A value in another unit is not the number of samples, also of folded lines that take the unit of another file.
printf 'app;main 300000\n' >lines.folded
profile report -q -o waits.svg -o waits.perf off.txt
expect_status 0
if grep -q 'microseconds in ' waits.svg; then fail "a number of samples: $(grep -o '[0-9,]* microseconds in.*' waits.svg)"; fi
expect_equal "$(grep -c '^app ' waits.perf)" 1 "events of one stack"
profile report --format json lines.folded off.txt
expect_status 0
expect_out '"total_value":1200000,"total_samples":0,'

# --top without a number takes the file's name for one.
for command in report 'diff off.txt'; do
  # shellcheck disable=SC2086
  profile $command --top off.txt
  expect_status 2
  expect_silence out
  expect_err '^profile: --top off\.txt: not a whole number'
done

# A file without addresses gives none to -A.
for file in lines.folded cpu.speedscope.json; do
  profile report -q -A $file
  expect_status 0
  expect_out '^    main( |$)'
  expect_no_out '0x0000'
done

# A counted report of samples that became time says that it is in nanoseconds.
profile report -q -o time.txt cpu.speedscope.json
profile diff time.txt cpu.speedscope.json
expect_status 0
expect_out '^cpu\.speedscope\.json \(201005040 nanoseconds\) compared with time\.txt \(201005040 nanoseconds\)'

# A run's JSON keeps its header. A file of another format, and a sum of files, does not know what was asked for.
sed 's/"targets":{}/"duration_s":5,"targets":{"pids":[7]}/' account.json >asked.json
profile report asked.json
expect_status 0
expect_out '^Sampling at 49 Hertz of PID \[7\] by user \+ kernel stack for 5 secs\.'
profile report -q -o both.json asked.json account.json
profile report --format counted both.json
expect_out '^Samples of both\.json by user \+ kernel stack'

# memory VALUE : prints a state of the memory in use, as JSON.
memory() {
  printf '{"profile":{"event":"malloc","unit":"bytes","is_state":true,"user_stacks":true,"kernel_stacks":false,"targets":{}},'
  printf '"account":{"taken":9,"recorded":%s,"recorded_by_ring":0,"idle":0,"filtered":%s,"lost":0,"balanced":true},' "$1" $((9 - $1))
  printf '"ebpf":{"profile":{"unit":"bytes","total_value":%s,"total_samples":%s,"processes":[{"pid":7,"image":0,"name":"app"}],' "$1" "$1"
  printf '"modules":[],"frames":[{"process":0,"kind":"user","symbol":"main"}],"stacks":[[0]],'
  printf '"rows":[{"process":0,"thread":"app","user":0,"value":%s,"samples":%s}]}}}\n' "$1" "$1"
}
# The states of one recording take the place of each other; those of two recordings are added up.
{ memory 4 && memory 3; } >states.json
profile report -f states.json
expect_equal "$(cat "$tmp/out")" 'app;main 3'
profile report -q -o kept.json states.json
expect_equal "$(grep -c '"is_state":true' kept.json)" 1 "documents that say they are states"
profile report -f states.json states.json
expect_equal "$(cat "$tmp/out")" 'app;main 6'
profile report -q -o sum.json states.json states.json
if grep -q is_state sum.json; then fail "a sum of states became a state"; fi
