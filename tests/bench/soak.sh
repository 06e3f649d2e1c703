#!/bin/bash
# Tests whether long runs keep their size: three runs of the profiler beside a compiler that is started again and again. It
# prints a line for each run every minute, and in the end whether each is flat. No part of the suite.
#   soak.sh PROFILE [MINUTES] : default 120 minutes. Needs root.
set -u

profile=$(realpath "${1:?the program to run}") minutes=${2:-120}
tmp=$(mktemp -d)
pids=()
clean_up() {
  ((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null
  wait
  rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Thousands of short-lived programs with ten names: each is compiled, linked and run.
compile_on() {
  local -i n=0
  while true; do
    ((++n))
    printf '#include <stdio.h>\nint main(void) { long sum = 0; for (long i = 0; i < %d; ++i) sum += i; return printf("%%ld", sum) < 0; }\n' \
      $((n * 1000 % 1000000)) >"$tmp/$((n % 10)).c"
    cc -O1 -g -o "$tmp/program$((n % 10))" "$tmp/$((n % 10)).c" && "$tmp/program$((n % 10))" >/dev/null
  done
}
compile_on &
pids+=("$!")

# begin NAME ARGUMENT... : starts a run and watches it.
names=() watched=()
begin() {
  mkdir "$tmp/$1"
  (cd "$tmp/$1" && exec "$profile" -q "${@:2}" >out 2>err </dev/null) &
  names+=("$1") watched+=("$!")
  pids+=("$!")
}
begin live -T -R 0
begin interval -i 1 --keep 5 -o 'at-%s.pb.gz'
begin off-cpu -e off-cpu -i 1 --keep 5 -o 'at-%s.pb.gz'

# descendants PID : prints all processes below it.
descendants() {
  local child
  for child in $(pgrep -P "$1"); do
    echo "$child"
    descendants "$child"
  done
}
count() { find "$1" -mindepth 1 2>/dev/null | wc -l; }
field_kb() { awk -v name="$2:" '$1 == name { print $2; exit }' "$1" 2>/dev/null; }
# figures PID : prints its RSS, the PSS of its children, the number of all descriptors and the memory of its BPF maps; memory
# in kB.
figures() {
  local pid pss=0 descriptors maps=0 fd kb
  descriptors=$(count "/proc/$1/fd")
  for pid in $(descendants "$1"); do
    kb=$(field_kb "/proc/$pid/smaps_rollup" Pss)
    pss=$((pss + ${kb:-0}))
    descriptors=$((descriptors + $(count "/proc/$pid/fd")))
  done
  for fd in /proc/"$1"/fdinfo/*; do
    kb=$(awk '$1 == "map_id:" { is_map = 1 } $1 == "memlock:" { bytes = $2 } END { if (is_map) print int(bytes / 1024) }' "$fd" 2>/dev/null)
    maps=$((maps + ${kb:-0}))
  done
  echo "$(field_kb "/proc/$1/status" VmRSS) $pss $descriptors $maps"
}

printf '%6s %-9s %9s %12s %12s %12s\n' minute run RSS_kB children_kB descriptors BPF_maps_kB
for ((minute = 1; minute <= minutes; ++minute)); do
  sleep 60
  for i in "${!names[@]}"; do
    if ! kill -0 "${watched[i]}" 2>/dev/null; then
      echo "${names[i]} has ended: $(tail -n 3 "$tmp/${names[i]}/err")"
      exit 1
    fi
    read -r rss pss descriptors maps < <(figures "${watched[i]}")
    printf '%6d %-9s %9d %12d %12d %12d\n' "$minute" "${names[i]}" "$rss" "$pss" "$descriptors" "$maps" | tee -a "$tmp/table"
  done
done

# Flat means: the maximum of the last third is hardly more than that of the middle third. The first third is the start-up.
awk '
  function check(name, kind, middle, last, slack) {
    flat = last <= middle * 1.05 + slack
    printf "%-9s %-12s %9d -> %9d  %s\n", name, kind, middle, last, flat ? "flat" : "GROWS"
    if (!flat) bad = 1
  }
  function raise(most, key, value) { if (!(key in most) || value + 0 > most[key]) most[key] = value + 0 }
  FNR == NR { if ($1 + 0 > minutes) minutes = $1 + 0; next }
  {
    runs[$2] = 1
    third = int(($1 - 1) * 3 / minutes)
    for (i = 3; i <= 6; ++i) {
      if (third == 1) raise(middle, $2 " " i, $i)
      if (third == 2) raise(last, $2 " " i, $i)
    }
  }
  END {
    split("RSS_kB children_kB descriptors BPF_maps_kB", kinds, " ")
    split("2048 1024 8 64", slack, " ")
    for (run in runs) for (i = 3; i <= 6; ++i) check(run, kinds[i - 2], middle[run " " i], last[run " " i], slack[i - 2])
    exit bad
  }' "$tmp/table" "$tmp/table"
