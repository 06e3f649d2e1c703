#!/bin/bash
# How soon a run beside hostile programs ends.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/hostile_code.sh"
