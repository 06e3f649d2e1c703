#!/bin/bash
# Root running scripts/run in a user's checkout leaves no file there that the user cannot remove or build over.
source "$(dirname "$0")/checkout.bash"
need_root
make_checkout "$tmp/checkout"
chown -R nobody: "$tmp/checkout"

run_script
expect_status 9
expect_equal "$(find "$tmp/checkout" ! -user nobody)" "" "files of root"
