#!/bin/sh
# Short compilations one after the other without a pause, like a build: `compile_loop.sh SOURCES SCRATCH COMPILER...`.
# Ends after SIGINT, or when its parent is gone.
sources=$1
output=$2/compiled.$$.o
shift 2
trap 'rm -f "$output"; exit' INT
echo ready
while kill -0 "$PPID"; do
  for compiler in "$@"; do
    case $compiler in
      *++) "$compiler" -O1 -c -o "$output" "$sources/short.cc" ;;
      *) "$compiler" -O2 -c -o "$output" "$sources/chain.c" ;;
    esac
  done
done
rm -f "$output"
