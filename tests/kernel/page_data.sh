#!/bin/bash
# A browser runs only the page's own code, whatever names its data has. The data are the stacks of the folded lines: of
# a file, of a comparison, and of a run. cli/page* test what the page's script shows.
source "$(dirname "$0")/../lib.sh"
need_command python3

page_of() { run python3 "$SOURCE_DIR/tests/tools/validate_page.py" "$@"; }
# expect_stacks FOLDED ARGUMENT... : the page has the stacks of the file.
expect_stacks() {
  page_of "${@:2}"
  expect_status 0
  grep -v ' 0$' "$1" | LC_ALL=C sort >"$tmp/expected"
  LC_ALL=C sort "$tmp/out" | diff "$tmp/expected" - >"$tmp/differences" || fail "$*: $(head "$tmp/differences")"
}

# Every kind of frame, a stack without frames, and names that try to break a page.
cat >"$tmp/now.folded" <<'FOLDED'
dd;main;read;vfs_read_[k];copy_to_user_[k] 300
dd;main;read 200
dd;main;écrire;[libc.so.6+0x1234] 150
node;[unknown];Builtins_JSEntry 120
empty 70
a<b>;operator<;x&&y;"quoted" 130
</script><script>alert(1)</script>;</SCRIPT >;<!--<script>;--> 10
<img src=x onerror=alert(1)>;]]>;${alert(1)};\u003cb>\;&amp&lt&#60x 20
__proto__;constructor;[object Object];%3Cb%3E;*/ // 30
FOLDED
sed -e 's/ 300$/ 100/; s/ 120$/ 260/; /^empty/d' "$tmp/now.folded" >"$tmp/before.folded"
profile report -q -o "$tmp/now.html" "$tmp/now.folded"
expect_status 0
expect_stacks "$tmp/now.folded" --script "$tmp/page.js" "$tmp/now.html"
profile diff -q -o "$tmp/change.html" "$tmp/before.folded" "$tmp/now.folded"
expect_status 0
expect_stacks "$tmp/now.folded" "$tmp/change.html"
expect_stacks "$tmp/before.folded" --before "$tmp/change.html"
if command -v node >/dev/null; then
  node --check "$tmp/page.js" || fail "the page's script is no JavaScript"
fi

# rejected EXPRESSION WHAT : sed's EXPRESSION breaks a good page, and the validator says so.
rejected() {
  sed "$1" "$tmp/now.html" >"$tmp/bad.html"
  page_of "$tmp/bad.html"
  expect_status 1
  expect_err "$2"
}
rejected 's/<noscript>/<script>alert(1)<\/script>&/' '2 of script'
rejected 's/<noscript>/<img src=x>&/' '<img> has src'
rejected "s/connect-src 'none'/connect-src */" 'the policy is'
rejected 's/^<\/style>/x&/' 'the policy is'
rejected 's/"parent":\[-1,0/"parent":[-1,1/' 'node 1 stands on 1'

need_kernel
start "$WORKLOADS/leaves" 600
has_both() { has_samples "$tmp/run.folded" ';main;outer;middle;heavy [0-9]+$' ';light [0-9]+$'; }
profile_until has_both -U -F 999 -p "$started" -o "$tmp/run.html" -o "$tmp/run.folded"
expect_stacks "$tmp/run.folded" "$tmp/run.html"
