#!/bin/bash
# When all threads that may wait are waiting, for files of twenty users, the run ends in time and reports it. No other
# test runs meanwhile, because it would have no names either.
source "$(dirname "$0")/served.bash"
need_user_namespaces

in_crowd 20 1
expect_err 'no more files|nothing more|not answer'
