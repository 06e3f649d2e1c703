#!/bin/bash
# The output of --completion completes every option, event, format and form, in a real bash and a real zsh.
source "$(dirname "$0")/../lib.sh"

profile --completion fish
expect_status 2
expect_err '^profile: --completion fish: not one of bash, zsh$'
"$PROFILE" --completion bash >/dev/full 2>"$tmp/err"
status=$?
expect_status 1
mkdir "$tmp/zsh"
profile --completion zsh
expect_status 0
expect_silence err
cp "$tmp/out" "$tmp/zsh/_profile"
profile --completion bash
expect_status 0
expect_silence err
cp "$tmp/out" "$tmp/profile.bash"
if grep -n '@[a-z_]*@' "$tmp/profile.bash" "$tmp/zsh/_profile"; then fail "something was not filled in"; fi
if command -v shellcheck >/dev/null; then
  shellcheck "$tmp/profile.bash" || fail "shellcheck finds something in the script for bash"
else
  echo "not checked: there is no shellcheck here"
fi

# The words that must be offered, taken from the program's own tables.
profile --help all
cp "$tmp/out" "$tmp/help"
options=$(sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p' "$tmp/help" | sort)
letters=$(sed -nE 's/^  (-.), --.*/\1/p' "$tmp/help" | sort)
formats=$(sed -nE '/^Formats:$/,/^$/s/^  ([a-z-]+) .*/\1/p' "$tmp/help" | sort)
forms=$(sed -nE '/^Forms of --stream:$/,/^$/s/^  ([a-z-]+) .*/\1/p' "$tmp/help" | sort)
profile --list-events
# Capitals stand for a value that the user provides.
events=$(sed -nE 's/^  ([^ ,]+)(, ([^ ]+))?( .*)?$/\1\n\3/p' "$tmp/out" | grep -v '^$\|^[A-Z]\|[A-Z]$\|^rNNNN' | sort)
profile -e off-cpu --state nonsense
states=$(sed -nE 's/^profile: .*not one of (.*)/\1/p' "$tmp/err" | tr -d ',' | tr ' ' '\n' | sort)
profile -e syscalls --category nonsense
categories=$(sed -nE 's/^profile: .*not one of (.*)/\1/p' "$tmp/err" | tr -d ',' | tr ' ' '\n' | sort)
for list in options letters formats forms events states categories; do
  (($(wc -w <<<"${!list}") >= 4)) || fail "only these $list were found: ${!list}"
done
taken_by() { "$PROFILE" "$1" --help | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p' | sort; }

# --- bash, by its function -------------------------------------------------------------------------------------------
# bash_offers LINE : prints what is offered after it, sorted and without trailing blanks; "asked: ..." is left to
# readline.
cat >"$tmp/offers" <<'SCRIPT'
source "$1"
compopt() { echo "asked: $2"; }
COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=${3:-9}
read -ra COMP_WORDS < <(sed -E 's/[=:]+/ & /g' <<<"$2")
if [[ $2 == *[\ =:] ]]; then COMP_WORDS+=(''); fi
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_profile
if ((${#COMPREPLY[@]} != 0)); then printf '%s\n' "${COMPREPLY[@]}"; fi
SCRIPT
bash_offers() { bash --norc "$tmp/offers" "$tmp/profile.bash" "$@" | grep -v '^asked: nospace' | sort; }
# expect_offers LINE WORDS
expect_offers() { expect_equal "$(bash_offers "$1")" "$2" "offered behind '$1'"; }

expect_offers 'profile --' "$(printf '%s\n' "$options" --stream= | sort)"
expect_equal "$(bash_offers 'profile -' | grep -x -- '-.')" "$letters" "letters offered"
missing=$(comm -13 <(bash_offers 'profile -e ') <(echo "$events"))
expect_equal "$missing" '' "events that are not offered"
# Each offered word is an event. The cache events are offered, too, although --list-events does not list them one by
# one.
while read -r event; do
  "$PROFILE" -e "$event" -p 0 2>&1 | grep -q '^profile: -p 0' || fail "-e $event is offered, and is none"
done < <(bash_offers 'profile -e ' | grep -vx uprobe:)
expect_offers 'profile --event=off' off-cpu
expect_offers 'profile -e LLC-load-m' LLC-load-misses
expect_offers 'profile --format ' "$formats"
expect_offers 'profile --format=' "$formats"
expect_offers 'profile --stream=' "$forms"
expect_offers 'profile --state ' "$states"
expect_offers 'profile -e syscalls --category ' "$categories"
expect_offers 'profile --completion ' $'bash\nzsh'
expect_offers 'profile -o ' 'asked: default'
expect_offers 'profile --output=' 'asked: default'
expect_equal "$(bash_offers 'profile -o out.' | wc -l)" "$(wc -w <<<"$formats")" "endings offered"
expect_offers 'profile -o out.h' out.html
expect_offers 'profile -o ./out.speed' ./out.speedscope.json
expect_offers 'profile -g ' 'asked: default'
expect_offers 'profile --debug-dir ' 'asked: dirnames'
expect_offers 'profile -F ' ''
expect_offers 'profile 5 ' ''
expect_offers 'profile ' $'diff\nrecord\nreport\nserve\nstore'
expect_offers 'profile -C ' "$(lscpu -p=CPU | grep -v '#' | sort)"
bash_offers 'profile -C 1,0-' | grep -qx '1,0-0' || fail "in a list of CPUs nothing is offered"
for command in report diff; do
  expect_offers "profile $command --" "$(taken_by "$command")"
  expect_offers "profile $command " 'asked: default'
done
expect_offers 'profile store --' "$(taken_by store)"
expect_offers 'profile store ' init
for helper in '' /usr/share/bash-completion/bash_completion; do
  if [[ $helper && ! -e $helper ]]; then continue; fi
  if [[ $helper ]]; then sed -i "1i source $helper" "$tmp/offers"; fi
  bash_offers 'profile -f -- basenam' | grep -qx basename || fail "behind -- no commands are offered; with '$helper'"
done

# Processes and threads, by id and by name. No other process has this name.
typed_name=s$$z
cp "$(command -v sleep)" "$tmp/${typed_name}er"
start "$tmp/${typed_name}er" 600
until [[ $(<"/proc/$started/comm") == "${typed_name}er" ]]; do sleep 0.05; done
for option in '-p ' '--pid=' '-p 1,' '-fp ' '-L '; do
  bash_offers "profile $option" | grep -Eqx "(1,)?$started" || fail "behind $option there is no $started"
done
bash_offers "profile -p$started" | grep -qx -- "-p$started" || fail "behind -p without a blank there is no $started"
expect_offers "profile -p $typed_name" "$started"
expect_offers "profile --comm $typed_name" "${typed_name}er"
bash_offers 'profile -p ' 63 | grep -qx "$started  (${typed_name}er)" || fail "a list of processes does not name them"

# Another user chooses a process's name: it must not run a command or move the cursor.
start python3 -c "import time; open('/proc/self/comm', 'w').write('\$(x)\x1b[2J\`y'); time.sleep(600)"
until grep -qF '$(x)' "/proc/$started/comm"; do sleep 0.05; done
bash_offers 'profile -p ' 63 | grep -qxF "$started  (\$(x)?[2J\`y)" || fail "a name was not taken as text"

# --- both shells, as a person types ----------------------------------------------------------------------------------
mkdir "$tmp/there" && : >"$tmp/there/profile.folded"
cd "$tmp/there" || exit 1
# typed SHELL SCRIPT LINE... : $tmp/out has each line as it is after Tab, followed by the lists that were shown.
typed() { run python3 "$SOURCE_DIR/tests/tools/press_tab.py" "$@" && expect_status 0; }
# expect_typed SHELL SCRIPT : reads lines "typed|expected" from stdin.
expect_typed() {
  local shell=$1 script=$2 lines=() expected=() line i
  while IFS='|' read -r line i; do lines+=("$line") && expected+=("$i"); done
  typed "$shell" "$script" "${lines[@]}"
  mapfile -t results < <(sed -n 's/^= //p' "$tmp/out")
  for i in "${!lines[@]}"; do
    expect_equal "${results[i]%% }" "${expected[i]}" "in $shell, '${lines[i]}' and Tab"
  done
}
LINES_TYPED="profile --fol|profile --folded
profile --format=spee|profile --format=speedscope
profile -e off|profile -e off-cpu
profile -e block-|profile -e block-io
profile --stream=js|profile --stream=json
profile --state pre|profile --state preempted
profile -p $typed_name|profile -p ${background[0]}
profile --comm $typed_name|profile --comm ${typed_name}er
profile -o prof|profile -o profile.folded
profile -o out.htm|profile -o out.html
profile rep|profile report
profile report --resi|profile report --residency
profile report prof|profile report profile.folded
profile diff --latenc|profile diff --latenc
profile -f -- basenam|profile -f -- basename"
need_command python3
expect_typed bash "$tmp/profile.bash" <<<"$LINES_TYPED"

need_command zsh
zsh -n "$tmp/zsh/_profile" || fail "zsh does not take the script"
expect_typed zsh "$tmp/zsh" < <(grep -v "$typed_name" <<<"$LINES_TYPED")
typed zsh "$tmp/zsh" 'profile --'
for option in $options; do grep -qx -- "$option" "$tmp/out" || fail "in zsh there is no $option"; done
typed zsh "$tmp/zsh" 'profile -e ' 'profile --format ' 'profile --stream=' "profile -p ${background[0]:0:1}"
for word in $events $formats $forms "${background[0]}"; do
  grep -qx -- "$word" "$tmp/out" || fail "in zsh there is no $word"
done
# Brackets and quotes in summaries are shown unchanged.
typed zsh "$tmp/zsh" 'profile --annot' 'profile --a'
tr '\n' ' ' <"$tmp/out" | grep -qF -- '--annotations -- _[k] after kernel frames' || fail "a summary is not shown as it is"
