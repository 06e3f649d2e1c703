#!/bin/bash
# Each promise of src/README.md names its tests, and each of these tests names the promise.
source "$(dirname "$0")/../lib.sh"
cd "$SOURCE_DIR" || exit 1

# Prints the file of a test that the table calls kernel.NAME, unit.NAME or vm.*.
file_of() {
  case $1 in
    unit.*) find tests/unit -name "${1#unit.}.cpp" ;;
    vm.*) echo tests/vm/vm.sh ;;
    *) echo "tests/${1/.//}.sh" ;;
  esac
}

sed -nE 's/^\| ([0-9]+) \|.*\| ([^|]*) \|$/\1 \2/p' src/README.md >"$tmp/rows"
(($(wc -l <"$tmp/rows") >= 9)) || fail "only $(wc -l <"$tmp/rows") promises were found"
while read -r number tests; do
  grep -oE '(unit|kernel|vm)\.[a-z_*]+' <<<"$tests" >"$tmp/tests" || fail "promise $number names no test"
  while read -r name; do echo "$(file_of "$name") $number" >>"$tmp/listed"; done <"$tmp/tests"
done <"$tmp/rows"

grep -rE '^(//|#) Promise [0-9]+:' tests | sed -E 's/^([^:]*):[^ ]* Promise ([0-9]+):.*/\1 \2/' >"$tmp/named"
expect_equal "$(sort "$tmp/listed" "$tmp/named" | uniq -u)" "" "pairs that only the table or only the test names"
