#!/bin/bash
# A wrong command line: exit status 2, the usage line and a line on stderr that names the option and the value. stdout
# is empty.
source "$(dirname "$0")/../lib.sh"

# misused TEXT... -- ARGUMENT... : the line contains each TEXT literally.
misused() {
  local texts=() text line
  while [[ $1 != -- ]]; do
    texts+=("$1")
    shift
  done
  shift
  profile "$@"
  expect_status 2
  expect_silence out
  expect_equal "$(wc -l <"$tmp/err")" 2 "lines on stderr for $*"
  [[ $(head -n 1 "$tmp/err") == 'usage: profile [record] [options]'* ]] || fail "no usage line for $*; $(outcome)"
  line=$(tail -n 1 "$tmp/err")
  [[ $line == 'profile: '* ]] || fail "no error line for $*; $(outcome)"
  for text in "${texts[@]}"; do [[ $line == *"$text"* ]] || fail "no '$text' in '$line', for $*"; done
}
# bad OPTION VALUE : the line names both, and the option by its short form.
bad() { misused "${3:-$1}" "$2" -- "$1" "$2" 1; }

for value in abc 0 -1 1x 1.5 '1,' ',1' '1,,2' '1 2' 0x1 4294967296 99999999999999999999999; do
  bad -p "$value"
  bad --pid "$value" -p
  bad -L "$value"
done
for value in '' dwarf AUTO 'cfi '; do bad --unwind "$value"; done
for value in abc -1 '' ',' '0,' 1- -3 3-2 0-99999999 '0 1' 0.5; do bad -C "$value"; done
for value in abc 0 -1 1.5 1e3 '' 99999999999999999999999; do
  bad -F "$value"
  bad --frequency "$value" -F
  bad -c "$value"
  bad --hash-storage-size "$value"
  bad --stack-storage-size "$value"
  bad --max-stack-depth "$value"
done
for value in abc 0 -1 '' inf nan 1x; do bad -i "$value"; done
for option in --comm --cgroup --cgroupmap --mntnsmap -o --format; do bad "$option" ''; done

for value in 0 0.0 abc 1x '' inf nan 1,5; do misused duration "$value" -- "$value"; done
misused 5 -- 1 5
misused 3 timeout -- 3 -- true
misused 'ls: neither a duration nor a subcommand; a command stands behind --, as in profile -- ls' -- ls
[[ $(tail -n 1 "$tmp/err") == *'profile -- ls' ]] || fail "more than that: $(outcome)"
misused reprot: 'nearest: report' -- reprot out.folded
misused 'make: neither a duration' 'a command stands behind --' -- record make
misused "'--pdi'; the nearest: --pid" -- --pdi 1
misused "'--modles'; the nearest: --modules" -- report --modles a
misused "'--duration'; the duration has no option: profile 10" -- --duration 3
misused '--focus is for profile report and diff' -- --focus main 1
misused --merge-processes --per-thread -- --merge-processes --per-thread 1
misused --merge-processes --stream -- --merge-processes --stream 1
misused --keep -- --stream --keep 3 1
misused command -- --
misused command -- -f --

misused -p -L -- -p 1 -L 1 1
misused -F -c -- -F 49 -c 1000 1
misused -U -K -- -U -K 1
# shellcheck disable=SC2046 # words
misused --comm 8 -- $(printf -- '--comm %s ' a b c d e f g h i) 1
misused -d -U -- -d -U 1
misused -d -K -- -d -K 1
misused -q -v -- -q -v 1
misused -f -r -- -f -r 1
misused -p -- -p 1 -- true
misused -L -- -L 1 -- true

for option in --nonsense --pidx; do misused "$option" -- "$option" 1; done
misused z -- -z 1
misused --format -- --format
misused --pid -- --pid
misused --frequency -- -F
misused --output -- -o
for option in folded quiet; do misused "$option" -- "--$option=yes" 1; done
misused --frequency -- -F 49 -F 99 1

# The error about an unknown format lists the known ones.
misused --format pdf counted folded residency -- --format pdf 1
misused -o a.txt twice -- -o a.txt -o a.txt 1
[[ ! -e a.txt ]] || fail "an output was made"

misused '-o x.sgv' .svg --format -- -o x.sgv 1
misused '-o x.sgv' .svg -- report -o x.sgv a
misused '-o x.sgv' .svg -- diff -o x.sgv a b
# An error that is found after the outputs were opened leaves the files as they were.
printf 'of old\n' >"$tmp/old.folded"
misused '-e uprobe:libc:' -- -e uprobe:libc: -o "$tmp/new.html" -o "$tmp/old.folded" 1
[[ ! -e $tmp/new.html ]] || fail "an output was made"
expect_equal "$(cat "$tmp/old.folded")" 'of old' "the contents of a file that was there"
ln -s "$tmp/far.folded" "$tmp/link.folded"
misused '-e uprobe:libc:' -- -e uprobe:libc: -o "$tmp/link.folded" 1
[[ -L $tmp/link.folded && ! -e $tmp/far.folded ]] || fail "an output was made where a link leads to"

# Events: an unknown one (with the nearest name), a bad modifier, a missing part.
misused '-e off-cpuu' 'nearest: off-cpu' --list-events -- -e off-cpuu 1
misused '-e page-fault:u' page-faults:u -- -e page-fault:u 1
misused "-e ''" -- -e '' 1
for event in cpu-clock:x cpu-clock: page-faults:ux; do misused "-e $event" u k -- -e "$event" 1; done
for event in uprobe uprobe: uprobe:libc uprobe::malloc uprobe:libc:; do
  misused "-e $event" uprobe:FILE:SYMBOL -- -e "$event" 1
done

# Options that do not apply to an event.
for option in --min-block-us=1 --max-block-us=1 --state=any --waker --latency --failed --by-process --category=ipc --live; do
  misused "${option%=*}" '-e cpu-clock' -- "$option" 1
  misused "${option%=*}" '-e wall' -- -e wall "$option" 1
done
misused --state futex -- -e futex --state any 1
misused --waker futex -- -e futex --waker 1
misused --waker --stream -- -e off-cpu --waker --stream=folded 1
misused --live syscalls -- -e syscalls --live 1
misused -F -c futex -- -e futex -F 99 1
misused -F -c block-io -- -e block-io -c 5 1
misused -F -c malloc -- -e malloc -F 99 1
misused -F -c off-cpu -- -e off-cpu -F 99 1
misused -F -c off-cpu -- -e off-cpu -c 5 1
misused -F -c syscalls -- -e syscalls -F 99 1
misused -F -c syscalls -- -e syscalls -c 5 --failed 1
misused -K malloc -- -e malloc -K 1
misused -F uprobe -- -e uprobe:libc:malloc -F 99 1
misused -U -K stacks -- -e syscalls -U 1

# Wrong values of options.
for value in abc -1 1.5 '' 99999999999999999999999; do
  misused --min-block-us "$value" -- -e off-cpu --min-block-us "$value" 1
  misused --max-block-us "$value" -- -e futex --max-block-us "$value" 1
  # A word that begins with a dash is another option, because --top may have no number.
  if [[ $value != -* ]]; then bad --top "$value"; fi
done
bad --top 0
misused --top terminal -- --top -f 1
misused --top --stream -- --top --stream 1
misused --port -T -- -R 80 1
misused --keep -- --keep 3 1
misused -i a.html -- -i 1 -o a.html 1
misused -g %04d -- -g a.png 1
misused -o %Q -- -o 'a-%Q.folded' 1
misused --completion fish bash zsh -- --completion fish
misused 'no file' -- report
printf 'a;b 1\n' >"$tmp/one.folded"
misused AFTER -- diff "$tmp/one.folded"
misused -F report -- report -F 1 a
misused --max-block-us 0 -- -e off-cpu --max-block-us 0 1
misused '--min-block-us 2' --max-block-us -- -e off-cpu --min-block-us 2 --max-block-us 1 1
for value in sleeping '' Any; do misused --state "$value" preempted interruptible any -- -e off-cpu --state "$value" 1; done
for value in net '' file; do misused --category "$value" file_io network other -- -e syscalls --category "$value" 1; done

# A recording.
misused '-o -' file -- record -o -
misused --max-size 8M -- --max-size 100K -o a.db 1
misused '--max-size 2X' -- --max-size 2X -o a.db 1
misused --max-size .db -- --max-size 20M 1
misused '--keep 3x' 24h -- --keep 3x -o a.db 1
misused '--keep 24h' recording -- --keep 24h 1
misused a.db 'one recording' -- -o a.db -o b.db 1
misused --waker recording -- -e off-cpu --waker -o a.db 1
misused --live recording -- -e malloc --live -o a.db 1
misused '--from 25:00' 14:03:10 -- report --from 25:00 a.db
misused '--to 1' --from -- report --from 2 --to 1 a.db
misused 'two parts of one' -- diff --a 0:1 a.db
misused 'two parts of stdin' -- diff --a 0:1 --b 1:2 -
misused --a --from -- diff --a 0:1 --b 1:2 --from 1 a.db
misused --b --to -- diff --b 1:2 --to 1 a.db b.db
for value in '' 5 : .. 1:2:3 a:b 3:x; do misused "--a $value" -- diff --a "$value" --b 1:2 a.db; done
misused '--b 9:2' before -- diff --a 0:1 --b 9:2 a.db
for value in '' x 2%% -1 100 nan; do misused "--fail-above $value" 0% -- diff --fail-above "$value" a.db b.db; done
misused --fail-above 'report and diff' -- --fail-above 2% 1
misused '--a is not for this command' -- report --a 0:1 a.db

# Several events.
misused 'several -e' -- -e cpu-clock -e off-cpu 1
misused 'several -e' -- -e cpu-clock -e off-cpu -T 1
misused '-e off-cpu' twice -- -e off-cpu -e off-cpu -o a.db 1
misused --latency off-cpu -- -e off-cpu -e cpu-clock --latency -o a.db 1
misused '-e off-cpu' 'one event' -- report -e cpu-clock -e off-cpu a.db

# The stream.
misused '--stream pdf' table stacks folded json -- --stream=pdf 1
misused '--stream folded' --stream=folded -- --stream folded 1
misused --stream -- --stream= 1
misused --stream -- --stream=json --stream 1
misused 5 -- --stream 1 5
misused 'abc: neither a duration' -- --stream abc
misused --stream -f -- --stream -f 1
misused --stream -r -- --stream=json -r 1
misused --stream --format -- --stream --format json 1
misused --stream -i -- --stream -i 1 1
misused a 'given twice' -- --stream -o a -o a 1
misused --live -- -e malloc --live --stream 1
[[ ! -e a && ! -e b && ! -e a.db ]] || fail "an output was made"
