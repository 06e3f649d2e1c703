#!/bin/bash
# How long a run takes beside programs whose unwind tables cost too much, and that it loses no sample.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/hostile_tables.sh"
