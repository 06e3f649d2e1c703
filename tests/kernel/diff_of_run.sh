#!/bin/bash
# Two formats of one run show no difference in the table or in a picture. Folded lines have threads and file names
# without a path; pprof has processes, threads and paths.
source "$(dirname "$0")/../lib.sh"
need_kernel
need_command python3
cd "$tmp" || exit 1

start "$WORKLOADS/threads" 600
both_run() { has_samples run.folded '^red;' '^green;'; }
profile_until both_run -F 999 --lines -p "$started" -o run.folded -o run.pb.gz

# Compares the amounts of a page's processes and stacks, before and now.
cat >amounts.py <<'PYTHON'
import json, re, sys
page = open(sys.argv[1]).read()
data = json.loads(re.search(r'<script[^>]*id="?data"?[^>]*>(.*?)</script>', page, re.S).group(1))
def amounts(cells):
    sums = {}
    for owner, node, value in zip(cells['owner'], cells['node'], cells['value']):
        key = (data['strings'][data['owners']['process'][owner]], node)
        sums[key] = sums.get(key, 0) + value
    return sums
before, now = amounts(data['before']['cells']), amounts(data['cells'])
print('the same' if before == now and before else {key: (before.get(key), now.get(key)) for key in {*before, *now}})
PYTHON

for pair in 'run.folded run.pb.gz' 'run.pb.gz run.folded' 'run.pb.gz run.pb.gz'; do
  read -r before after <<<"$pair"
  profile diff "$before" "$after"
  expect_out '^No function gained\.$'
  expect_out '^No function lost\.$'
  profile diff -q -o same.svg -o same.html "$before" "$after"
  expect_status 0
  if grep -q 'gone, and without a box' same.svg; then fail "$pair: $(grep -o 'gone, .*before' same.svg)"; fi
  expect_equal "$(grep -c '+0\.00 points, from ' same.svg)" "$(grep -c ' points, from ' same.svg)" "boxes as they were, $pair"
  expect_equal "$(python3 amounts.py same.html)" 'the same' "amounts of the page, $pair"
done
