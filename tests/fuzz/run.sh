#!/bin/bash
# run.sh NAME SECONDS [SEED], in the directory of the built fuzz targets: fuzzes for that long, from the seeds in corpus/NAME
# beside this file where there are some; of C source there, the library it compiles to is the seed. With the same SEED (a
# number above 0) the same inputs are tried in the same order. What libFuzzer learns stays in the build directory. A finding
# is kept and named.
# run.sh NAME replay LEARNT: only gives the target the seeds, and what a build that fuzzed has learnt and found below LEARNT.
set -u
shopt -s nullglob
name=$1 seconds=$2 random_seed=${3:-0}
seeds=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/corpus/$name
mkdir -p "corpus/$name" findings
corpora=("corpus/$name")

# With both symbol tables, and with what is left of them when stripped; the code where the targets ask for names. No
# compiler: no seeds of this kind.
compile_seeds() {
  local source base layout=-Ttext=0x1000,-z,max-page-size=16,-z,noseparate-code
  mkdir -p "made/$name" && corpora+=("made/$name")
  for source; do
    base=made/$name/$(basename "$source" .c)
    "${CC:-cc}" -O1 -fPIC -shared -nostdlib -Wl,--build-id,"$layout" -o "$base" "$source" || continue
    "${CC:-cc}" -O1 -fPIC -shared -nostdlib -s -Wl,--build-id,--hash-style=sysv,"$layout" -o "$base-stripped" "$source"
  done
}

sources=("$seeds"/*.c)
if ((${#sources[@]} != 0)); then
  compile_seeds "${sources[@]}"
elif [[ -d $seeds ]]; then
  corpora+=("$seeds")
fi
if [[ $seconds == replay ]]; then
  learnt=$3
  if [[ -d $learnt/corpus/$name ]]; then corpora+=("$learnt/corpus/$name"); fi
  exec ./fuzz_replay "$name" "${corpora[@]}" "$learnt/findings/$name"-*
fi
# What the sanitizer keeps back of freed memory would count as ours.
export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=32}
"./$name" -max_total_time="$seconds" -seed="$random_seed" -timeout=60 -rss_limit_mb=512 -print_final_stats=1 -verbosity=1 \
  -artifact_prefix="$PWD/findings/$name-" "${corpora[@]}" 2>"$name.log"
status=$?
if ((status != 0)); then
  tail -n 60 "$name.log"
  exit 1  # libFuzzer says 77, which would read as skipped
fi
grep -E '^(Done|stat::(number_of_executed_units|peak_rss_mb))' "$name.log"
