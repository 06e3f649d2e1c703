#!/bin/bash
# C++ names appear in source form: namespaces, templates, operators, anonymous parts.
source "$(dirname "$0")/sampling.bash"

burn mangled 600
wait_until is_at_work "$started"
sample_enough 400 -F 1999 -U -p "$started" 1
# The names are the point of this test; one function has twice the work of the other.
chain=';main;shop::Shelf<int>::restock\(int\)'
expect_share "$chain;void shop::\(anonymous namespace\)::count<unsigned long>\(unsigned long\) " 50 83
expect_share "$chain;shop::Price::operator\+=\(shop::Price const&\) " 17 50
expect_absent '_Z'

# Names that are as long as those of expression templates.
kill "$started"
burn long_names 600
wait_until is_at_work "$started"
sample_enough 400 -F 1999 -U -p "$started" 1
chain=';main;Pack<void, rather_long_namespace_10::Rather_long_structure_name_10, .*_99>'
expect_share "$chain::alpha\(unsigned long\) " 62 88
expect_share "$chain::beta\(unsigned long\) " 12 38
expect_absent '_Z'
