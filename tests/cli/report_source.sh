#!/bin/bash
# `report --source FUNCTION` shows source and code of a file with the recorded build-id, with what each line has cost;
# sources that may not be read, and texts that control a terminal, do no harm.
source "$(dirname "$0")/../lib.sh"
need_command gcc readelf objdump addr2line
cd "$tmp" || exit 1

cat >hot.c <<'C'
static inline __attribute__((always_inline)) unsigned long inner(unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long i = 0; i < n; ++i) /* line 3 */
    sum += i / (n | 1);                 /* line 4 */
  return sum;
}
__attribute__((noinline)) unsigned long hot(unsigned long n) {
	return inner(n) + (n ^ 77); /* line 8, begins with a tab */
}
int main(int argc, char** argv) { return (int)hot((unsigned long)argc + (argv == 0)); }
C
gcc -O1 -g -Wl,--build-id -o hot hot.c || fail "gcc cannot build hot"
build_id=$(readelf -n hot | sed -n 's/.*Build ID: //p')

# place FUNCTION LINE : an address in `hot` whose innermost function and line are these.
place() {
  local address
  for address in $(objdump -d --disassemble=hot hot | sed -En 's/^ *([0-9a-f]+):.*/\1/p'); do
    if [[ $(addr2line -i -f -s -e hot "0x$address" | head -n 2 | tr '\n' ' ') == "$1 hot.c:$2"[\ \(]* ]]; then
      printf '0x%s' "$address"
      return
    fi
  done
  fail "no address of $1:$2"
}
# recorded FILE BUILD-ID PATH : writes a profile of ten samples: six on line 4 of inner, three on line 3, and one in a
# function of which nothing is known.
recorded() {
  local path=$3
  cat >"$1" <<JSON
{"profile":{"event":"cpu-clock","unit":"samples","user_stacks":true,"kernel_stacks":false},"ebpf":{"profile":{"unit":"samples","total_value":10,"total_samples":10,"processes":[{"pid":7,"image":0,"name":"hot"}],"modules":[{"name":"hot"}],"binaries":[{"path":"$path","build_id":"$2"}],"frames":[{"kind":"user","process":0,"symbol":"hot","module":0,"address":"0x1","binary":0,"binary_address":"$(place inner 4)"},{"kind":"user","process":0,"symbol":"hot","module":0,"address":"0x2","binary":0,"binary_address":"$(place inner 3)"},{"kind":"user","process":0,"symbol":"other","module":0,"address":"0x3"}],"stacks":[[0],[1],[2]],"rows":[{"process":0,"thread":"hot","user":0,"value":6,"samples":6},{"process":0,"thread":"hot","user":1,"value":3,"samples":3},{"process":0,"thread":"hot","user":2,"value":1,"samples":1}]}}}
JSON
}
recorded a.json "$build_id" "$tmp/hot"

# The inlined function, which the file tells: lines and instructions have their values.
profile report a.json --source inner
expect_status 0
expect_silence err
expect_out '^inner \[hot\]: 9 of 10 samples, 90\.0%; itself 9, 90\.0%$'
expect_out '^ 66\.7%      6      6     4  .*/\* line 4 \*/$'
expect_out '^ 33\.3%      3      3     3  .*/\* line 3 \*/$'
expect_out "^Code in $tmp/hot, inlined in hot\$"
address=$(place inner 4)
expect_out "^ 66\.7%      6      6     4  *${address#0x}  [a-z]"
# Its holder has the line of the call, and all code up to the return.
profile report a.json --source hot
expect_status 0
expect_out '^hot \[hot\]: 9 of 10 samples, 90\.0%; itself 0, 0\.0%$'
expect_out '^100\.0%      9            8          return inner\(n\) \+'
expect_out '  retq?$'
expect_equal "$(sed '1,/^Code in/d' out | grep -c '  [0-9a-f]*  [a-z]')" "$(objdump -d --disassemble=hot hot | grep -c '^ .*:.*	[a-z]')" "instructions of hot"


# Without the library that disassembles, it shows the lines.
library=$(PATH=$PATH:/usr/sbin ldconfig -p 2>/dev/null | sed -n 's/.*libcapstone\.so\.4 .* => //p' | head -n 1)
if ((EUID == 0)) && [[ $library ]] && unshare -m mount --bind /dev/null "$library" 2>/dev/null; then
  # shellcheck disable=SC2016
  run unshare -m bash -c 'mount --bind /dev/null "$1" && "$2" report a.json --source inner' - "$library" "$PROFILE"
  expect_status 0
  expect_out '^ 66\.7%      6      6     4  .*/\* line 4 \*/$'
  expect_out 'not shown: libcapstone4, which disassembles, is not installed'
fi

# It goes by way of pprof, too, and keeps what the file knows.
profile report -o b.pb.gz a.json
profile report b.pb.gz --source inner
expect_status 0
expect_out '^ 66\.7%      6      6     4  .*/\* line 4 \*/$'

profile report -o c.json b.pb.gz
if /usr/bin/python3 -W ignore -c 'import jsonschema' 2>/dev/null; then
  run /usr/bin/python3 "$SOURCE_DIR/tests/tools/validate_json.py" "$SOURCE_DIR/man/profile.schema.json" c.json
  expect_status 0
fi
profile report c.json --source inner
expect_out '^ 66\.7%      6      6     4  .*/\* line 4 \*/$'

# A page holds them when it is asked to, says so, and only near the lines with values.
profile report --sources -o x.html a.json
expect_status 0
expect_err 'the page holds source and code of 2 functions: lines of 1 source file, [0-9.]+ (kB|bytes)$'
grep -q '"name":"inner","module":"hot","total":9,"self":9,"files":\[{"path":"'"$tmp"'/hot.c"' x.html || fail "no source of inner in the page"
grep -q '\[4,6,6,"    sum += i / (n | 1);                 /\* line 4 \*/"\]' x.html || fail "no line 4 in the page"
profile report -o plain.html a.json
expect_status 0
if grep -q 'line 4' plain.html; then fail "a page has sources that nobody asked for"; fi
profile report --sources -o x.folded a.json
expect_status 2
expect_err -- '--sources is for pages'
[[ ! -e x.folded ]] || fail "an output was made"

# Two functions; one that is not there, with the nearest; a name that says nothing.
profile report a.json --source inner --source hot
expect_status 0
expect_out '^inner \[hot\]: 9'
expect_out '^hot \[hot\]: 9'
profile report a.json --source innner
expect_status 1
expect_silence out
expect_err '^profile: --source innner: no such function; the nearest: inner'
profile report a.json --source ''
expect_status 2
profile report a.json --source hot -o both.html
expect_status 2
[[ ! -e both.html ]] || fail "a page was made, too"
DEBUGINFOD_URLS='' profile report a.json --debuginfod
expect_status 1
expect_err 'DEBUGINFOD_URLS names no server'
profile report a.json --source other
expect_status 0
expect_out 'no source line is known'
printf 'main;hot 3\n' >a.folded
profile report a.folded --source hot
expect_status 0
expect_out 'no address of it is recorded'

# A file of another build, and one without a build-id, are not shown.
recorded other.json "${build_id//[0-7]/8}" "$tmp/hot"
profile report other.json --source hot
expect_status 0
expect_out 'not shown: it is another build than the one that ran'
expect_err 'without lines, source and code: .*/hot \(it is another build'
expect_no_out 'line 8'
strip -R .note.gnu.build-id -o bare hot
recorded bare.json "$build_id" "$tmp/bare"
profile report bare.json --source hot
expect_out 'not shown: it has no build-id now'
recorded gone.json "$build_id" "$tmp/no-such"
profile report gone.json --source hot
expect_out 'not shown: No such file'
mkfifo pipe
for path in "$tmp/pipe" "$tmp" /dev/zero /proc/self/environ hot; do
  recorded odd.json "$build_id" "$path"
  profile report odd.json --source hot
  expect_status 0
  expect_out 'not shown'
done

# A source that has changed since the build is told, and what it says cannot control the terminal.
printf '\033]0;title\a\033[31m\302\233 line 1\n' >changed.c
tail -n +2 hot.c >>changed.c
cp changed.c hot.c
touch -d '+1 hour' hot.c
profile report a.json --source inner
expect_status 0
expect_out 'changed after the program was built'
expect_out ' 1  \?\]0;title\?\?\[31m\? line 1$'
expect_no_out $'\033'
sed -i '1s/$/<\/script><b>/' hot.c
profile report --sources -o y.html a.json
expect_status 0
grep -q 'line 1\\u003c/script>' y.html || fail "the changed source is not in the page"
if grep -q 'line 1</script>' y.html; then fail "a source ends the script of the page"; fi
grep -q '"newer":true' y.html || fail "the page does not tell that the source has changed"
# One that has become shorter says so, and keeps its values.
head -n 3 changed.c >hot.c
profile report a.json --source inner
expect_status 0
expect_out 'it has fewer lines now'
expect_out '^ 66\.7%      6      6     4$'

# What is no regular file is not opened.
rm hot.c && mkfifo hot.c
profile report a.json --source inner
expect_status 0
expect_out 'without its text: not a regular file'
rm hot.c && ln -s /dev/zero hot.c
profile report a.json --source inner
expect_out 'without its text: behind a symbolic link'
rm hot.c
profile report a.json --source inner
expect_out 'without its text: not there'

# A source that not everyone may read is read only for a program of its owner, and only at the very path that the program
# names: whoever may write a directory on the way could link it to any file.
printf 'open\nopen\nopen\nopen\nopen\nopen\n' >elsewhere.c
ln -s elsewhere.c hot.c
chmod 755 "$tmp"
profile report a.json --source inner
expect_out ' open$'
if ((EUID == 0)); then
  sed 's/open/secret/' elsewhere.c >secret.c
  chmod 600 secret.c
  ln -sf secret.c hot.c
  profile report a.json --source inner
  expect_status 0
  expect_out 'without its text: behind a symbolic link'
  expect_no_out secret
  ln -f secret.c hot.c
  profile report a.json --source inner
  expect_out 'without its text: not there under this name alone'
  expect_no_out secret
  rm secret.c
  profile report a.json --source inner
  expect_out ' secret$'
  chown 65533 hot
  profile report a.json --source inner
  expect_out "without its text: (of another owner than the program|closed to the program's own user)"
  expect_no_out secret
  chown 65533 hot.c
  profile report a.json --source inner
  expect_out ' secret$'
  profile report --sources -o z.html a.json
  grep -q secret z.html || fail "the owner's source is not in the page"
fi

# The lines of a script: its text is the file that is there now, if the function begins where it did, and if everyone may
# read it, because a program may name any file.
cat >job.py <<'PYTHON'
import time


@time.strftime
def slow_sum(values):
    total = 0
    for value in values:
        total += value * value
    return total
PYTHON
# of_script FUNCTION : a profile of ten samples in that function of job.py: eight on line 8, two on line 7.
of_script() {
  local frame="\"kind\":\"script\",\"process\":0,\"symbol\":\"$1\",\"module\":0,\"file\":\"$tmp/job.py\",\"begins_at\":4"
  cat >script.json <<JSON
{"profile":{"event":"cpu-clock","unit":"samples","user_stacks":true,"kernel_stacks":false},"ebpf":{"profile":{"unit":"samples","total_value":10,"total_samples":10,"processes":[{"pid":7,"image":0,"name":"python3"}],"modules":[{"name":"job.py"}],"frames":[{$frame,"line":8,"address":"0x1"},{$frame,"line":7,"address":"0x2"}],"stacks":[[0],[1]],"rows":[{"process":0,"thread":"python3","user":0,"value":8,"samples":8},{"process":0,"thread":"python3","user":1,"value":2,"samples":2}]}}}
JSON
}
of_script Totals.slow_sum
chmod 755 "$tmp"
profile report script.json --source Totals.slow_sum
expect_status 0
expect_silence err
expect_out '^Totals\.slow_sum \[job\.py\]: 10 of 10 samples, 100\.0%'
expect_out '^ 80\.0%      8      8     8          total \+= value \* value$'
expect_out '^ 20\.0%      2      2     7      for value in values:$'
expect_out ' 5  def slow_sum\(values\):$'
expect_no_out 'no address of it|no source line'
profile report script.json --sources -o script.html
expect_status 0
expect_err 'the page holds source and code of 1 function: lines of 1 source file'
of_script another
profile report script.json --source another
expect_out '^\(without its text: the function does not begin there in the file that is here now\)$'
expect_out '^ 80\.0%      8      8     8$'
of_script slow_sum
if ((EUID == 0)); then
  chmod 600 job.py
  profile report script.json --source slow_sum
  expect_out '^\(without its text: root reads only what everyone may read, '
  expect_no_out 'total'
  chmod 644 job.py
  chmod 700 "$tmp"
  profile report script.json --source slow_sum
  expect_out '^\(without its text: root reads only what everyone may read, '
  expect_no_out 'total'
  chmod 755 "$tmp"
fi
rm job.py
profile report script.json --source slow_sum
expect_status 0
expect_out '^\(without its text: .*(not there|No such file)'
