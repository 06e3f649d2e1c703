#!/bin/bash
# How long a run takes beside programs whose unwind tables cost too much, that it loses no sample, and how soon a signal
# ends it.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/hostile_tables.sh"
