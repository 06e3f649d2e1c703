#!/bin/bash
# The JSON of the fixed profiles matches man/profile.schema.json, and schema and validator reject broken documents.
source "$(dirname "$0")/../lib.sh"
/usr/bin/python3 -W ignore -c 'import jsonschema' 2>/dev/null || skip "there is no python3-jsonschema here"

schema=$SOURCE_DIR/man/profile.schema.json
validate() { run /usr/bin/python3 "$SOURCE_DIR/tests/tools/validate_json.py" "$@"; }

golden=("$SOURCE_DIR"/tests/unit/golden/*.json)
((${#golden[@]} >= 6)) || fail "there are only ${#golden[@]} golden documents"
for document in "${golden[@]}"; do
  validate "$schema" "$document"
  expect_status 0
  expect_silence out
done
validate --self-check "$schema" "${golden[@]}"
expect_status 0
expect_equal "$(grep -Ec ': [0-9]{2,} broken documents rejected$' "$tmp/out")" "${#golden[@]}" "documents that were broken"

# A report of a file without an account has no account.
printf 'a;b 3\n' >"$tmp/a.folded"
profile report -o "$tmp/a.json" "$tmp/a.folded"
if grep -q '"account"' "$tmp/a.json"; then fail "an account was made up"; fi
validate "$schema" "$tmp/a.json"
expect_status 0

# rejected WHERE-AND-WHAT : the validator rejects $tmp/bad and says why.
rejected() {
  validate "$schema" "$tmp/bad"
  expect_status 1
  expect_err "$1"
}
wall=$SOURCE_DIR/tests/unit/golden/wall.json

: >"$tmp/bad"
rejected 'there is no document'
printf '%s' "$(<"$wall")" >"$tmp/bad"
rejected 'the last line has no end'
head -c 1000 "$wall" >"$tmp/bad" && echo >>"$tmp/bad"
rejected 'bad:1: '
cat "$wall" "$wall" >"$tmp/bad" && echo '{}' >>"$tmp/bad"
rejected "bad:3: .*is a required property"
sed 's/"image":0/"image":0,"image":0/' "$wall" >"$tmp/bad"
rejected 'a member stands twice: image'
sed 's/"time_ms":3500.0/"time_ms":NaN/' "$wall" >"$tmp/bad"
rejected 'NaN is no JSON'
# The shares of all system calls are all present, or all unknown.
measures=$SOURCE_DIR/tests/unit/golden/measures_top.json
sed 's/"io_intensity":[0-9.]*,//' "$measures" >"$tmp/bad"
rejected "'io_intensity' is a dependency of"
sed -E 's/"(io|memory|network)_intensity":[0-9.]*,//g' "$measures" >"$tmp/part"
validate "$schema" "$tmp/part"
expect_status 0
sed 's/"name":"dd"/"name":"\xff"/' "$wall" >"$tmp/bad"
rejected 'utf-8'
sed 's/"kernel":1,"value"/"kernel":2,"value"/' "$wall" >"$tmp/bad"
rejected 'ebpf\.profile\.rows\[0\]\.kernel: there is no 2 in stacks'
sed 's/"value":3500000/"value":3500001/' "$wall" >"$tmp/bad"
rejected 'total_value: is not the sum of the rows'
ends=$SOURCE_DIR/tests/unit/golden/ends.json
sed 's/"no_cfi":4/"no_cfi":5/' "$ends" >"$tmp/bad"
rejected 'user_stack_ends: is not the sum of the rows'
sed 's/"user_end":"no_cfi"/"user_end":"too_deep"/' "$ends" >"$tmp/bad"
rejected 'user_stack_ends: is not the sum of the rows'
sed 's/"stacks":\[\[0,1,2\],/&[0,1,2],/' "$ends" >"$tmp/bad"
rejected 'stacks\[1\]: stands at 0, too'
sed 's/"user":"missed"/"user":"missed","user_end":"root"/' "$ends" >"$tmp/bad"
rejected 'user_end: is the end of no stack'
sed 's/"tid":187,"name"/"tid":"187","name"/' "$wall" >"$tmp/bad"
rejected '\$\.ebpf\.offcpu\.thread_stats\.185:187\.tid: '

# The self-check rejects a schema that allows members without a definition.
sed '0,/"additionalProperties": false/s//"additionalProperties": true/' "$schema" >"$tmp/loose"
validate --self-check "$tmp/loose" "$wall"
expect_status 1
expect_err 'allows members that it does not name'
