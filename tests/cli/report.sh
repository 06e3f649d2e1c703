#!/bin/bash
# `profile report` reads files that this or another profiler recorded, writes every format, and adds up several files.
source "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

cat >a.folded <<'LINES'
dd;[Missed User Stack];do_syscall_64_[k];vfs_read_[k] 6
dd;main;read;do_syscall_64_[k];vfs_read_[k] 70
web;main;<script>alert("x")</script> 12
web;[unknown];[web+0x1f] 3
idle 2
LINES
printf 'dd;main;write 10\ndd;main;read;do_syscall_64_[k];vfs_read_[k] 30\n' >b.folded

# The output equals the input, also through pprof.
profile report -f -a a.folded
expect_status 0
expect_silence err
expect_equal "$(sort "$tmp/out")" "$(sort a.folded)" "folded lines of folded lines"
profile report -o a.pb.gz a.folded
expect_status 0
expect_silence out
profile report -f -a a.pb.gz
expect_equal "$(sort "$tmp/out")" "$(sort a.folded)" "folded lines by way of pprof"

# Files of any format are added up.
profile report -f -a a.pb.gz b.folded
expect_status 0
expect_equal "$(folded_total)" $((93 + 40)) "total of two files"
expect_out '^dd;main;read;do_syscall_64_\[k\];vfs_read_\[k\] 100$'
expect_out '^dd;main;write 10$'

# From stdin; compressed; with a name that begins with a dash.
run bash -c '"$1" report -f - <a.folded' - "$PROFILE"
expect_status 0
expect_equal "$(folded_total)" 93 "total of stdin"
gzip -k b.folded
cp b.folded.gz ./-odd
profile report -f b.folded.gz ./-odd
expect_status 0
expect_equal "$(folded_total)" 80 "total of compressed files"

# A second ending .gz compresses any format; a pattern's directory is made.
profile report -o zipped.folded.gz -o zipped.html.gz -o 'pictures/b-%04d.svg.gz' b.folded
expect_status 0
expect_equal "$(gunzip -c zipped.folded.gz)" "$("$PROFILE" report -f b.folded 2>/dev/null)" "compressed lines"
gunzip -c zipped.html.gz | grep -q '</html>' || fail "no page in zipped.html.gz"
gunzip -c pictures/b-0001.svg.gz | grep -q '</svg>' || fail "no picture in pictures: $(ls pictures)"
profile report -f zipped.folded.gz
expect_equal "$(folded_total)" 40 "total of a compressed file of ours"
profile diff -o diff.html.gz a.pb.gz b.folded
expect_status 0
gunzip -c diff.html.gz | grep -q '</html>' || fail "no page in diff.html.gz"

# The header names the files. The kernel and the leaf come first, and the hottest stack last.
profile report a.folded b.folded
expect_status 0
expect_equal "$(head -n 1 "$tmp/out")" 'Samples of a.folded, b.folded by user + kernel stack' header
expect_equal "$(grep -v '^$' "$tmp/out" | tail -n 1 | tr -d ' ')" 100 "the hottest"
expect_out '^    \[Missed User Stack\]$'
profile report -d b.folded
expect_out '^    --$'
profile report -r b.folded
expect_out '^75\.0%     vfs_read;do_syscall_64;read;main;$'

# Every format. In text formats a name never becomes markup. Those of single samples say that a sum has no times.
while read -r format; do
  if [[ $format == firefox || $format == perfetto ]]; then
    profile report --format "$format" -o "out.$format" a.folded b.folded
    expect_status 1
    expect_err "the format $format needs the time of each sample"
    continue
  fi
  profile report --format "$format" -o "out.$format" a.folded b.folded
  expect_status 0
  [[ -s out.$format ]] || fail "nothing in the format $format; $(outcome)"
done < <("$PROFILE" report --help | sed -n '/^Formats:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[[ -s out.html && -s out.svg && -s out.json && -s out.table ]] || fail "formats are missing: $(ls)"
if grep -q '<script>alert' out.html out.svg; then fail "a name became markup"; fi
profile report --top 1 --format table a.folded
expect_out '^Top 1 functions? of [0-9]+, in samples$'
expect_equal "$(grep -c '%' "$tmp/out")" 1 "rows of the table"
profile report -o x.folded -o x.txt a.folded
expect_status 0
[[ -s x.folded && -s x.txt ]] || fail "two outputs were asked for: $(ls)"
# An empty input is not an error, but it may mean a broken pipeline, so there is a warning.
: >empty
profile report -f empty
expect_status 0
expect_silence out
expect_err '^profile: there is no stack in empty$'
profile report -q -f empty
expect_silence err
# Facts that the file does not have are not invented: no number of a process, no account, no rate, and not the year 1970.
for format in counted residency speedscope; do
  profile report --format "$format" a.folded
  expect_no_out '\(0\)|pid.?0|\[0\]'
done
profile report a.folded
expect_out '^    -                idle$'
profile report -o told.html -o 'told-%Y.pb.gz' a.folded
expect_status 0
if grep -q '"taken"' told.html; then fail "an account was made up"; fi
[[ -s told-$(date +%Y).pb.gz ]] || fail "another year: $(ls)"
profile report -o told.json -o told.pb.gz a.folded
profile report -o told.svg told.pb.gz
if grep -q '"account"' told.json || grep -q ' taken' told.svg; then fail "an account was made up"; fi
# A format that cannot hold a value leaves the existing file unchanged.
printf 'a;b 18446744073709551615\n' >largest.folded
printf 'kept\n' >kept.pb.gz
profile report -o kept.pb.gz largest.folded
expect_status 1
expect_err '^profile: .*2\^63'
expect_equal "$(cat kept.pb.gz)" kept "the file that was there"
profile report -o kept.pb.gz a.folded
profile report -f kept.pb.gz
expect_equal "$(folded_total)" 93 "total of kept.pb.gz"
# One file with two names would be overwritten.
ln -s twice.folded twice.json
profile report -o twice.folded -o ./twice.folded a.folded
expect_status 1
expect_err '^profile: -o ./twice.folded: that is the same file as twice.folded$'
profile report -o twice.folded -o twice.json a.folded
expect_status 1
# Other common endings of the same formats.
profile report -o b.HTML -o b.pprof -o b.htm a.folded
expect_status 0
grep -qi '^<!doctype html' b.HTML && cmp -s b.HTML b.htm || fail "b.HTML and b.htm are no pages"
profile report -f b.pprof
expect_equal "$(folded_total)" 93 "total of b.pprof"

# A focus leaves a share, which the header and a line say; hidden and collapsed frames take nothing from the total.
cat >calls.folded <<'LINES'
app;main;fib;fib;fib;malloc [libc.so.6];_int_malloc [libc.so.6] 10
app;main;fib;leaf 20
web;main;std::map;do_syscall_64_[k];vfs_read_[k] 30
web;a;b;a;b;a 40
LINES
edited() {
  profile report -q -f "$@" calls.folded
  expect_status 0
  expect_silence err
}
edited --focus '^fib$' --focus '^a$'
expect_equal "$(folded_total)" 70 "samples in focus"
expect_no_out vfs_read
profile report --focus fib calls.folded
expect_err '^profile: in focus: 30 of 100 samples of calls\.folded, 30\.0%$'
expect_equal "$(head -n 1 "$tmp/out")" 'Samples of calls.folded (30.0% in focus) by user + kernel stack' header
cp "$tmp/out" focus.txt
profile report -f focus.txt
expect_equal "$(folded_total)" 30 "samples of a counted report of a focus"
edited --hide '^(main|fib|b)$' --hide ^std:
expect_equal "$(sort "$tmp/out")" $'app;leaf 20\napp;malloc;_int_malloc 10\nweb;a;a;a 40\nweb;do_syscall_64;vfs_read 30' hidden
edited --collapse recursion --collapse 'lib:libc*' --collapse lib:kernel
expect_equal "$(sort "$tmp/out")" $'app;main;fib;[libc.so.6] 10\napp;main;fib;leaf 20\nweb;a 40\nweb;main;std::map;[kernel] 30' collapsed
edited --hide . --collapse '^x'
expect_equal "$(folded_total)" 100 "samples without any frame"
edited --focus nowhere
expect_silence out

# Processes of one name are one, without a pid, in each format that names them, and are read back.
for pid in 7 8 9; do printf '    main\n    -                cc1plus (%s)\n        %s\n\n' "$pid" "$pid"; done >build.txt
profile report -q --merge-processes build.txt
expect_out '^    -                cc1plus$'
expect_no_out '\([0-9]+\)$'
for file in merged.txt merged.json merged.pb.gz merged.speedscope.json merged.perf; do
  profile report -q --merge-processes -o $file build.txt
  profile report -q -r $file
  expect_status 0
  expect_equal "$(tail -n +2 "$tmp/out" | tr -d ' ')" '100.0%main;' "shares of $file"
done
profile report -q -r --merge-processes build.txt
expect_equal "$(grep -c main "$tmp/out")" 1 "stacks of all of the name"

# bad STATUS PATTERN ARGUMENT... : one line names the error, and stdout is empty.
bad() {
  profile report "${@:3}"
  expect_status "$1"
  expect_silence out
  expect_err "^profile: .*$2"
}
misused() { bad 2 "$@"; }
misused 'no file'
misused '-F is not for this command' -F 1 a.folded
misused '-T is not for this command' -T a.folded
misused '-i is not for this command' -i 1 a.folded
misused 'top' --top
misused '--format pdf' --format pdf a.folded
misused 'exclude each other' -f -r a.folded
misused 'given twice' - -
misused 'nonsense' --nonsense a.folded
misused "--hide \(: no regular expression: " --hide '(' a.folded
misused "--focus ''" --focus '' a.folded
misused '--collapse lib:: no file' --collapse lib: a.folded
bad 1 'cannot read none.folded: No such file' none.folded
bad 1 'cannot read .*: Is a directory' .
printf 'no value\nno; value.\n 7\n' >bad.folded
bad 1 'bad\.folded:1: ' -o never.folded bad.folded
[[ ! -e never.folded ]] || fail "an output was made of what cannot be read"
# Messages of other programs between the lines are left out, and one line says so.
printf 'WARNING: 12 stack traces could not be displayed.\na;b 1\n\nno value\na;c 2\n' >mixed.folded
for command in 'report -f' 'diff a.folded'; do
  # shellcheck disable=SC2086
  profile $command mixed.folded
  expect_status 0
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err '^profile: mixed\.folded:1: no folded line .*; 2 such lines are left out$'
done
profile report -q -f mixed.folded
expect_status 0
expect_silence err
expect_equal "$(cat "$tmp/out")" $'a;b 1\na;c 2'
# The first byte alone does not decide that text is a folded line. Another format is named in the error.
printf 'a;b;c -5\n' >negative.folded
bad 1 'negative\.folded:1: .* negative' negative.folded
printf '{"traceEvents":[]}\n' >trace.json
bad 1 'trace\.json: no profile that can be read, but Chrome.s trace; .*speedscope\.app' trace.json
printf 'FLR\0\0\2' >java.jfr
bad 1 'java\.jfr: no profile, but .*jfrconv -o collapsed' java.jfr
printf '{"events":[]}\n' >other.json
bad 1 'other\.json: JSON, but none that is known to be a profile' other.json
printf '[]\n' >array.json
bad 1 'array\.json: .* but a JSON array' array.json
bad 1 'out\.svg: .* but HTML or XML' out.svg
bad 1 'out\.png: .* but a PNG picture' out.png
printf '    main\n    -                dd (185)\n        7\n\n    main\n' >counted.txt
bad 1 'counted\.txt:5: no block of a counted report: it is cut off' counted.txt
for packer in xz bzip2 zstd; do
  command -v $packer >/dev/null || continue
  $packer -c a.folded >"a.$packer"
  bad 1 "a\\.$packer: $packer-compressed; unpack it first" "a.$packer"
done
head -c 60 a.pb.gz >cut.pb.gz
bad 1 'cut.pb.gz: cut off' cut.pb.gz
head -c 100000000 /dev/zero | tr '\0' '\n' | gzip >bomb.gz
bad 1 'bomb.gz: unpacks to more than' bomb.gz
# Files with two different units are both named.
printf 'a;b 1\n' >samples.folded
base64 -d >bytes.pb.gz <<'BYTES'
H4sIAAAAAAACA+Ni4WAUYBJi52JkFGJqYFFi42BUYuJg1AIJMxsxGLEWFyQmpxqxJlWWpBYbseQmZuYBAGpUM8UzAAAA
BYTES
bad 1 'bytes.pb.gz is in bytes and a.pb.gz in samples' bytes.pb.gz a.pb.gz
# Folded lines have no unit, so they take the unit of the other files.
for order in 'bytes.pb.gz samples.folded' 'samples.folded bytes.pb.gz'; do
  # shellcheck disable=SC2086
  profile report --format table $order
  expect_status 0
  expect_out ', in bytes$'
done

# Folded lines with fractions are counted in parts of the others' unit.
printf 'a;b 0.25\n' >fractions.folded
for order in 'fractions.folded samples.folded' 'samples.folded fractions.folded'; do
  # shellcheck disable=SC2086
  profile report -f $order
  expect_status 0
  expect_equal "$(<"$tmp/out")" 'a;b 1250' "thousandths of $order"
done
profile report --format table fractions.folded
expect_out ', in thousandths$'
# The header of a profile without a rate names its values.
profile report bytes.pb.gz
expect_equal "$(head -n 1 "$tmp/out" | sed 's/^[^ ]* //')" 'in bytes of bytes.pb.gz by user + kernel stack' "header of a heap profile"

profile report --help
expect_status 0
expect_out '^usage: profile report \[options\] FILE\|URL\.\.\.$'
expect_out '^  -o, --output FILE '

# A reader that leaves is not an error and gives no message.
for ((i = 0; i < 20000; ++i)); do printf 'app;main;function_%s 1\n' "$i"; done >long.folded
run bash -c '"$1" report -f long.folded | head -n 1; exit "${PIPESTATUS[0]}"' - "$PROFILE"
expect_status 0
expect_silence err
# A full disk is an error.
if [[ -c /dev/full ]]; then
  profile report -f -o /dev/full long.folded
  expect_status 1
  expect_err 'cannot write /dev/full: No space left'
fi
