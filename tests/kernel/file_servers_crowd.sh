#!/bin/bash
# A user whose file systems do not answer takes no names away from other users, even with many user namespaces.
source "$(dirname "$0")/served.bash"
need_user_namespaces

burn leaves 600/3
leaves=$started

echo "one user's twenty namespaces"
in_crowd 20 0
expect_others_named
echo "eight users"
in_crowd 8 1
expect_others_named
