#!/bin/bash
# The known defects, which scripts/defects plants to see whether a test catches them, can still be planted.
source "$(dirname "$0")/../lib.sh"
need_command git
git -C "$SOURCE_DIR" rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
defects=("$SOURCE_DIR"/tests/defects/*.patch)
((${#defects[@]} >= 19)) || fail "only ${#defects[@]} defects are there"
for defect in "${defects[@]}"; do
  git -C "$SOURCE_DIR" apply --check "$defect" 2>"$tmp/why" || fail "${defect##*/} does not apply: $(cat "$tmp/why")"
done
