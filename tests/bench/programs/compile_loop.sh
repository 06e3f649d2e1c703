#!/bin/sh
# Short compilations without pause, one after the other, as a build does them: `compile_loop.sh SOURCES SCRATCH COMPILER...`.
# Ends by SIGINT, or when whoever started it is gone.
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
