#!/bin/bash
# C++ names are shown as a person writes them: namespaces, templates, operators, what has no name.
source "$(dirname "$0")/sampling.bash"

burn mangled 60
wait_until is_at_work "$started"
sample_folded -F 1999 -U -p "$started" 1
chain=';main;shop::Shelf<int>::restock\(int\)'
expect_near "$chain;void shop::\(anonymous namespace\)::count<unsigned long>\(unsigned long\) " 66.7
expect_near "$chain;shop::Price::operator\+=\(shop::Price const&\) " 33.3
expect_absent '_Z'
