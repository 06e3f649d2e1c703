#!/bin/bash
# C++ names are shown as a person writes them: namespaces, templates, operators, what has no name.
source "$(dirname "$0")/sampling.bash"

burn mangled 600
wait_until is_at_work "$started"
sample_enough 400 -F 1999 -U -p "$started" 1
# Names are what is looked at here; the one has twice the work of the other.
chain=';main;shop::Shelf<int>::restock\(int\)'
expect_share "$chain;void shop::\(anonymous namespace\)::count<unsigned long>\(unsigned long\) " 50 83
expect_share "$chain;shop::Price::operator\+=\(shop::Price const&\) " 17 50
expect_absent '_Z'
