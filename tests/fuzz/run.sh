#!/bin/bash
# run.sh NAME SECONDS [SEED], in the directory of the built targets: fuzzes for that long, from the seeds in corpus/NAME
# beside this file. A seed that is C source is compiled to a library first. With the same SEED (above 0) the same inputs
# come in the same order. The new corpus stays in the build directory, and each input that fails is kept.
# run.sh NAME replay LEARNT: only runs the target on the seeds, and on the corpus and the findings of a build in LEARNT.
set -u
shopt -s nullglob
name=$1 seconds=$2 random_seed=${3:-0}
seeds=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/corpus/$name
mkdir -p "corpus/$name" findings
corpora=("corpus/$name")

# Builds each seed with both symbol tables, and stripped. The code is where the targets look up names. Without a
# compiler there are no such seeds.
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
# Memory in the sanitizer's quarantine would count against the limit.
export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=32}
"./$name" -max_total_time="$seconds" -seed="$random_seed" -timeout=60 -rss_limit_mb=512 -print_final_stats=1 -verbosity=1 \
  -artifact_prefix="$PWD/findings/$name-" "${corpora[@]}" 2>"$name.log"
status=$?
if ((status != 0)); then
  tail -n 60 "$name.log"
  exit 1  # libFuzzer says 77, which would read as skipped
fi
grep -E '^(Done|stat::(number_of_executed_units|peak_rss_mb))' "$name.log"
