#!/bin/bash
# Each version of Java that is said to be known, from the releases of Debian that have it, in trees of their own as
# containers have them: the stacks are whole and right, interpreted and compiled. New trees are made with debootstrap,
# which takes a minute each.
source "$(dirname "$0")/scripts.bash"
need_all_languages
need_command debootstrap
need_command javac
trees=${XDG_CACHE_HOME:-$HOME/.cache}/profile-tests/java
mkdir -p "$trees" || skip "cannot write to $trees"
javac --release 8 -nowarn -d "$tmp/classes" "$scripts/Mix.java" "$scripts/Virtual.java" 2>"$tmp/err" || fail "javac"

# tree_of RELEASE VERSION... : makes the tree with these versions unless it is there.
tree_of() {
  local tree=$trees/$1 packages version
  for version in "${@:2}"; do
    if ! compgen -G "$tree/usr/lib/jvm/java-$version-openjdk-*" >"$tmp/found"; then rm -rf --one-file-system "$tree"; fi
  done
  if [[ -e $tree ]]; then return; fi
  packages=$(printf ',openjdk-%s-jre-headless' "${@:2}")
  rm -rf --one-file-system "$trees/new"
  debootstrap --variant=minbase --include="ca-certificates$packages" "$1" "$trees/new" http://deb.debian.org/debian \
    >"$tmp/debootstrap" 2>&1 || skip "no tree of $1: $(tail -n 1 "$tmp/debootstrap")"
  mv "$trees/new" "$tree"
}

# start_java RELEASE VERSION ARGUMENT... : starts this Java as $started.
start_java() {
  local tree=$trees/$1 command
  command=$(cd "$tree" && compgen -G "usr/lib/jvm/java-$2-openjdk-*/bin/java") ||
    command=$(cd "$tree" && compgen -G "usr/lib/jvm/java-$2-openjdk-*/jre/bin/java") || fail "no Java $2 in $tree"
  mkdir -p "$tree/classes" && cp "$tmp/classes"/* "$tree/classes"
  # It finds its libraries by /proc.
  start unshare -m bash -c 'mount --bind /proc "$1/proc" && exec chroot "$@"' bash "$tree" "/$command" -cp /classes "${@:3}"
  wait_until has_worked_or_ended "$started" 20
  if has_ended "$started"; then fail "Java $2 has ended: $(cat "$tmp/started")"; fi
  pause 2
}

# measure RELEASE VERSION KIND OPTION...
measure() {
  start_java "$1" "$2" "${@:4}" Mix 40
  sample_enough 500 -F 997 -U -a --max-stack-depth 512 -p "$started" 3
  check_mix "$tmp/out" 40 "$3"
  expect_between "$(awk -v right="$right" -v of="$of" -v other="$other" 'BEGIN { print 100 * right / (of - other) }')" 98 100 \
    "Java $2, $3: per cent right of $of"
  echo "Java $2 of $1, $3: $right right of $of, $other in other threads"
  kill -KILL "$started"
}

# expect_virtual RELEASE VERSION : stacks of virtual threads go on to those of their carriers. Where frames lie in the heap,
# the engine's code stands in their place, and it is told.
expect_virtual() {
  start_java "$1" "$2" Virtual
  sample_enough 100 -F 499 -U -p "$started" 1
  expect_present ';java\.lang\.VirtualThread\.runContinuation;.*;Virtual\.lambda\$main\$0(;Virtual\.deep){11};Virtual\.leaf;Virtual\.burn '
  expect_no_err 'lie in the heap'
  kill -KILL "$started"
  start_java "$1" "$2" Virtual rests
  sample_enough 100 -F 499 -U -p "$started" 1
  # The stub of JDK 28 does not lead on to the carrier.
  if (($2 < 28)); then expect_present ';java\.lang\.VirtualThread\.runContinuation;.*;~StubRoutines '; fi
  expect_present ';~StubRoutines \(continuation ?stubs\);Virtual\.leaf;Virtual\.burn '
  expect_err 'frames of a virtual thread lie in the heap'
  kill -KILL "$started"
}

measure_all() {
  local version
  tree_of "$@"
  for version in "${@:2}"; do
    measure "$1" "$version" java -Xint
    measure "$1" "$version" java -Xmx256m
    if ((version >= 21)); then expect_virtual "$1" "$version"; fi
  done
}
measure_all bullseye 11 17
measure_all trixie 21 25
measure_all sid 8 26 27 28
