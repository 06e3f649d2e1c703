#!/bin/bash
# The interpreters of other releases of Debian, in trees of their own as containers have them: of each version that is
# said to be known, the stacks are whole and right. New trees are made with debootstrap, which takes a minute each.
source "$(dirname "$0")/scripts.bash"
need_all_languages
source "$(dirname "$0")/releases.bash"
releases=(bullseye trixie)

# measure RELEASE LANGUAGE KIND COMMAND... DEPTH : KIND as for check_mix
measure() {
  local release=$1 language=$2 kind=$3 least ending
  shift 3
  ending=${*: -2:1}
  ending=${ending##*.}
  rm -rf "$trees/$release/scripts" && cp -r "$scripts" "$trees/$release/scripts"
  start chroot "$trees/$release" "$@"
  wait_until has_worked_or_ended "$started" 20
  if has_ended "$started"; then fail "$* of $release has ended: $(cat "$tmp/started")"; fi
  "$PROFILE" --list-languages >"$tmp/languages" || fail "--list-languages"
  echo "$release: $(grep -F "$trees/$release" "$tmp/languages")"
  if grep -F "$trees/$release" "$tmp/languages" | grep -q 'functions of scripts are shown'; then
    sample_enough 1000 -F 997 -U -a --max-stack-depth 512 -p "$started" 3
    check_mix "$tmp/out" "${!#}" "$kind"
    # There each function begins the interpreter's own once more, and at its very beginning it has no frame yet.
    [[ $language == *-for-perf ]] && least=95 || least=98
    expect_between "$(awk -v right="$right" -v of="$of" 'BEGIN { print 100 * right / of }')" "$least" 100 "$release, $language: per cent right of $of"
    case $language in
      python | php | perl)
        expect_lines "mix.$ending" "${!#}" "$kind"
        expect_between "$(awk -v lined="$lined" -v un="$unlined" 'BEGIN { print 100 * lined / (lined + un) }')" 99.5 100 \
          "$release, $language: per cent of frames with a line"
        ;;
    esac
    shown+=("$release-$language")
  fi
  kill -KILL "$started"
}

shown=()
for release in "${releases[@]}"; do
  tree_of "$release" perl php-cli ruby python3 nodejs
  [[ $release == bullseye ]] && python=old-python || python=python
  measure "$release" python "$python" python3 /scripts/mix.py 40
  # Since 3.12 it can make code for each function, so that perf has names.
  [[ $release == bullseye ]] || measure "$release" python-for-perf python python3 -X perf /scripts/mix.py 12
  measure "$release" php php php /scripts/mix.php 40
  measure "$release" perl perl perl /scripts/mix.pl 40
  measure "$release" ruby ruby ruby /scripts/mix.rb 40
  measure "$release" node optimised-node node /scripts/mix.js 40
done
# Others are named, and stay as they are: Ruby 2.7, and 3.3 without symbols; Node.js 12.
expect_equal "${shown[*]}" "bullseye-python bullseye-php bullseye-perl trixie-python trixie-python-for-perf trixie-php trixie-perl trixie-node" "known interpreters"
