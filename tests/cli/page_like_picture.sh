#!/bin/bash
# The page and the pictures use the same layout and colours, box by box, for a profile and for a comparison.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

# Every kind of frame, processes with the same name, a stack without frames, and names that locales sort differently.
cat >"$tmp/now.folded" <<'FOLDED'
dd;main;read;-;vfs_read_[k];copy_to_user_[k] 300
dd;main;read 200
dd;main;écrire;[libc.so.6+0x1234] 150
dd;main;Write 100
dd;main;_start 90
node;[unknown];Builtins_JSEntry 120
node;[Missed User Stack] 80
swapper;default_idle_[k] 160
empty 70
a<b>;operator<;x&&y;"quoted" 130
FOLDED
sed -e 's/ 300$/ 100/; s/ 100$/ 260/; /^empty/d' "$tmp/now.folded" >"$tmp/before.folded"
for kind in html svg; do
  profile report -q -o "$tmp/now.$kind" "$tmp/now.folded"
  expect_status 0
  profile diff -q -o "$tmp/change.$kind" "$tmp/before.folded" "$tmp/now.folded"
  expect_status 0
done
browse picture "$tmp/now.html" "$tmp/now.svg"
grep -Eq '^ok: .*: (2[0-9]|3[0-9]) boxes$' "$tmp/out" || fail "too few boxes: $(outcome)"
browse picture "$tmp/change.html" "$tmp/change.svg"
