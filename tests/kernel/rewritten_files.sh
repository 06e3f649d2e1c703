#!/bin/bash
# A library that gets another content, or is replaced by one with the same path, size or number: no stack has names or
# callers of the other one.
source "$(dirname "$0")/sampling.bash"

expect_equal "$(stat -c %s "$WORKLOADS/libsmall.so")" "$(stat -c %s "$WORKLOADS/liblarge.so")" "size of the two libraries"
for how in content times remove rename; do
  echo "$how"
  mkdir "$tmp/place"
  sample -F 499 -o "$tmp/run.folded" -- "$WORKLOADS/rewriter" "$tmp/place" "$how" 1.2
  rm -r "$tmp/place"
  mv "$tmp/run.folded" "$tmp/out"
  # A content that is gone before it was read has no names.
  case $how in
    remove | rename) expect_share '^rewriter;.*;in_small;entry_of;leaf_small' 30 60 ;;
    *) expect_share '^rewriter;.*;in_small;(entry_of;leaf_small|\[lib.so[^;]*;\[lib.so)' 30 60 ;;
  esac
  expect_share '^rewriter;.*;in_large;entry_of;leaf_large' 30 60
  expect_absent '_small;.*_large|_large;.*_small'
  # entry_of may be missing only with all that is above it.
  expect_absent ';(main|in_small|in_large);leaf_|;main;entry_of'
done

# Rows of equal addresses are kept apart by what is mapped there.
mkdir "$tmp/place"
sample -F 499 -o "$tmp/run.folded" -- "$WORKLOADS/rewriter" "$tmp/place" turns 2
mv "$tmp/run.folded" "$tmp/out"
expect_share '^rewriter;.*;in_turn;entry_of;leaf_small' 38 60
expect_share '^rewriter;.*;in_turn;entry_of;leaf_large' 38 60
