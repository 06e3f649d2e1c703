#!/bin/bash
# The program itself loads no large library; modules beside it do. A module that is missing or of another version gives
# one clear line before anything is measured.
source "$(dirname "$0")/../lib.sh"
need_command readelf

needed=$(readelf -d "$PROFILE" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
  [[ $library =~ ^(lib(bpf|elf|z|zstd|lzma|boost_program_options|stdc\+\+|gcc_s|m|c|asan|ubsan)|ld-linux.*)\.so ]] ||
    fail "the program itself loads $library"
done

mkdir "$tmp/alone"
cp "$PROFILE" "$tmp/alone/profile"
run "$tmp/alone/profile" --version
expect_status 0

# missing MODULE ARGUMENT... : the program without its modules names the missing one.
missing() {
  local module=$1
  shift
  run "$tmp/alone/profile" "$@"
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err "^profile: cannot load a part of this program: /.*/profile-$module\.so: .*No such file"
}
printf 'main;work 3\n' >"$tmp/a.folded"
everywhere() {
  missing picture report --format png "$tmp/a.folded"
  missing picture diff --format png "$tmp/a.folded" "$tmp/a.folded"
}
everywhere
missing recording record -o "$tmp/alone/a.db" 1
[[ ! -e $tmp/alone/a.db ]] || fail "a recording was begun"
# The program looks neither in the working directory nor in the loader's path.
cp "$(dirname "$PROFILE")"/profile-*.so "$tmp"
cd "$tmp" || exit 1
export LD_LIBRARY_PATH=$tmp
everywhere
unset LD_LIBRARY_PATH

# Another file of that name.
cp /proc/self/exe "$tmp/alone/profile-picture.so"
run "$tmp/alone/profile" report --format png "$tmp/a.folded"
expect_status 1
expect_err '^profile: cannot load a part of this program: '
if [[ $SANITIZED == 0 ]]; then
  library=$(ldconfig -p | sed -n 's/.*libz\.so\.1 .*x86-64.* => //p' | head -n 1)
  if [[ $library ]]; then
    cp "$library" "$tmp/alone/profile-picture.so"
    run "$tmp/alone/profile" report --format png "$tmp/a.folded"
    expect_status 1
    expect_err 'profile-picture\.so is not of version [0-9.]+$'
  fi
fi
rm "$tmp/alone/profile-picture.so"

# Modules beside the program are found from every working directory.
cp "$tmp"/profile-*.so "$tmp/alone"
cd /
run "$tmp/alone/profile" report --format png "$tmp/a.folded"
expect_status 0
expect_equal "$(head -c 4 "$tmp/out" | tail -c 3)" PNG "the picture"

((EUID == 0)) || exit 0
rm "$tmp"/alone/profile-*.so
missing web -T -R 0 1
missing picture -o "$tmp/a.png" 1
[[ ! -e $tmp/a.png ]] || fail "an empty picture is left behind"
missing terminal 1 --top
missing http --push parca+http://127.0.0.1:1 1
