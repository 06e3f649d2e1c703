#!/bin/bash
# A picture in a browser fills the window's width, zooms and searches, whatever its names are.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

{
  printf 'app;main;rec;rec 30\napp;main;work 60\napp;main 10\n'
  printf 'app;%s;<img src=x onerror=alert(1)> 50\n' "</text><script>alert('1')</script>"
  printf 'app;%s;leaf 50\n' "]]></script><script>alert('2')</script>"
} >"$tmp/a.folded"
profile report -q -o "$tmp/a.svg" "$tmp/a.folded"
expect_status 0
sed 's/60$/20/' "$tmp/a.folded" >"$tmp/b.folded"
profile diff -q -o "$tmp/change.svg" "$tmp/b.folded" "$tmp/a.folded"
expect_status 0
: >"$tmp/none.folded"
profile report -q -o "$tmp/none.svg" "$tmp/none.folded"
expect_status 0
browse svg "$tmp/a.svg" "$tmp/change.svg" "$tmp/none.svg"
