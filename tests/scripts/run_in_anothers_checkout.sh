#!/bin/bash
# When root runs scripts/run in a user's checkout, the user can still remove and overwrite all files there.
source "$(dirname "$0")/checkout.bash"
need_root
make_checkout "$tmp/checkout"
chown -R nobody: "$tmp/checkout"

run_script
expect_status 9
expect_equal "$(find "$tmp/checkout" ! -user nobody)" "" "files of root"
