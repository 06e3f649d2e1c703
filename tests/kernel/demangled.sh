#!/bin/bash
# C++ names are shown as a person writes them: namespaces, templates, operators, what has no name.
source "$(dirname "$0")/sampling.bash"

burn mangled 5
sample_folded -F 1999 -U -p "$started" 1
chain=';main;shop::Shelf<int>::restock\(int\)'
expect_share "$chain;void shop::\(anonymous namespace\)::count<unsigned long>\(unsigned long\) " 61.7 71.7
expect_share "$chain;shop::Price::operator\+=\(shop::Price const&\) " 28.3 38.3
expect_absent '_Z'
