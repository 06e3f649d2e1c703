#!/bin/bash
# How soon other clients get answers beside clients that read or send nothing.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/live_slow_clients.sh"
