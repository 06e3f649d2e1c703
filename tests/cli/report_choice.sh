#!/bin/bash
# `report` and `diff` choose samples of a file by time, process, thread, CPU, name and event, where the file tells them.
source "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# perf script: two processes, three threads, two CPUs, two events; a sample a second from 100.25 on.
event() { printf '%s %s [%03d] %s: 1 %s:\n\t1000 %s (/bin/app)\n\t2000 main (/bin/app)\n\n' "$@"; }
{
  event one 10/10 0 100.250000 cycles:u a
  event one 10/10 1 101.250000 cycles:u b
  event two 20/20 0 102.250000 cycles:u c
  event twin 20/21 1 103.25 cycles:u d
  event two 20/20 0 103.500000001 faults e
  event two 20/20 1 104.250000 cycles:u f
} >run.perf
# chosen EXPECTED OPTION... : the leaves that are left of run.perf, in the order of their names.
chosen() {
  profile report -q -f "${@:2}" "${file:-run.perf}"
  expect_status 0
  expect_equal "$(sed -E 's/ [0-9]+$//; s/.*;//' out | sort | tr -d '\n')" "$1" "leaves of ${file:-run.perf} with ${*:2}"
}
chosen abcdf
chosen bcdf --from 1
chosen ab --to 2
chosen bcd --from 0.5 --to 3.999
chosen abcdf --from 0
chosen ab -p 10
chosen cdf -p 20
chosen abcdf -p 10,20
chosen d -L 21
chosen ac -C 0
chosen bdf -C 1
chosen d --comm twin
chosen cdf --comm 'tw*'
chosen e -e faults
chosen f -p 20 -C 1 --comm two
chosen '' -p 99
chosen '' --from 100

# The JSON of --stream has the same facts.
sample() {
  printf '{"time_unix_ns":%s,"comm":"%s","pid":%s,"tid":%s,"cpu":%s,"event":"cpu-clock","unit":"samples","value":1,"user":[{"symbol":"%s","module":"app","offset":1,"address":"0x10"}],"kernel":[]}\n' "$@"
}
{
  sample 1795804168200000000 one 10 10 0 a
  sample 1795804169200000000 two 20 21 1 b
  sample 1795804170200000000 two 20 20 0 c
} >run.json
file=run.json
chosen abc
chosen bc --from 1
chosen a --to 1
chosen bc -p 20
chosen b -L 21
chosen ac -C 0
chosen a --comm one
chosen abc -e cpu-clock

# Speedscope tells how long each stack was there: a part of it may be wanted.
cat >run.speedscope.json <<'JSON'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},
"profiles":[{"type":"evented","name":"t","unit":"milliseconds","startValue":0,"endValue":4000,"events":[
{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":2000},{"type":"O","frame":1,"at":2000},{"type":"C","frame":1,"at":4000}]},
{"type":"sampled","name":"s","unit":"seconds","startValue":0,"endValue":4,"samples":[[0],[1]],"weights":[3,1]}]}
JSON
profile report -q -f run.speedscope.json
expect_equal "$(sort out | tr '\n' ' ')" 's;a 3000000000 s;b 1000000000 t;a 2000000000 t;b 2000000000 ' "the whole file"
profile report -q -f --from 1 --to 3.5 run.speedscope.json
expect_equal "$(sort out | tr '\n' ' ')" 's;a 2000000000 s;b 500000000 t;a 1000000000 t;b 1500000000 ' "a part of the file"

# A file that does not tell what is asked for.
printf 'one;main;a 1\ntwo;main;b 2\n' >run.folded
refused() {
  profile report -f "${@:2}"
  expect_status 1
  expect_err "$1"
  expect_silence out
}
refused 'run.folded does not say when' --to 1 run.folded
refused 'run.folded does not say of which process' -p 10 run.folded
refused 'run.folded does not say of which CPU' -C 0 run.folded
refused 'run.folded does not say of which event' -e cycles run.folded
profile report -q -f --comm two run.folded
expect_equal "$(<out)" 'two;main;b 2' "lines of one thread"
profile report -q -o run.pb.gz run.perf
refused 'run.pb.gz does not say when' --from 1 run.pb.gz
profile report -q -f -p 10 run.pb.gz
expect_equal "$(folded_total . out)" 2 "samples of one process in a pprof file"

# Both files of a comparison.
profile diff -q -p 10 run.perf run.perf
expect_status 0
expect_out '2 samples\) compared with run.perf \(2 samples\)'

misused() {
  profile "${@:2}"
  expect_status 2
  expect_err "$1"
}
misused '--to 1: not after' report --from 2 --to 1 run.perf
misused '--from abc' report --from abc run.perf
misused '-p and -L' report -p 1 -L 1 run.perf
misused '-C x' report -C x run.perf
misused '--from is for profile report' --from 1 5
