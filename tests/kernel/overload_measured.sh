#!/bin/bash
# How soon a run ends when samples come faster than they can be read.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/overload.sh"
