#!/bin/bash
# When all that may wait is waiting, over files of twenty users, the run ends in time and says so. No other test runs meanwhile:
# it would have no names either.
source "$(dirname "$0")/served.bash"
need_user_namespaces

in_crowd 20 1
expect_err 'no more files|nothing more|not answer'
