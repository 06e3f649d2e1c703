#!/bin/bash
# How soon others are answered beside clients that read nothing or say nothing.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/live_slow_clients.sh"
