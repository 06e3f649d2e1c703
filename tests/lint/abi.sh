#!/bin/bash
# Every header of headers/abi compiles alone, and its assertions about structures hold on both sides: in C for BPF, and
# in C++ for user space.
source "$(dirname "$0")/../lib.sh"
need_command clang

for header in "$SOURCE_DIR"/headers/abi/*.h; do
  printf '#include "abi/%s"\n' "$(basename "$header")" >"$tmp/asked.c"
  cp "$tmp/asked.c" "$tmp/asked.cpp"
  run clang -target bpf -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I"$SOURCE_DIR/headers" \
    -idirafter "/usr/include/$("${CC:-cc}" -dumpmachine)" "$tmp/asked.c"
  expect_status 0
  run "${CXX:-c++}" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I"$SOURCE_DIR/headers" "$tmp/asked.cpp"
  expect_status 0
done
