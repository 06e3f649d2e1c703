#!/bin/bash
# The man page and --help have the same options, arguments, defaults, formats and forms of the stream. The page
# describes every event, and renders without a warning.
source "$(dirname "$0")/../lib.sh"

page=$SOURCE_DIR/man/profile.8
option='--([a-z][a-z-]*)( ([A-Z]+)| \[([A-Z]+)\]|\[=([A-Z]+)\])?'

# The next two functions print sorted facts, one per line: options ("-F, --frequency HZ", ", --stream =FORM", ", --top
# ?N"), defaults ("--frequency: default 49"), formats ("format counted (.txt)") and forms of the stream ("form table").
facts_of_help() {
  local line section=''
  while IFS= read -r line; do
    if [[ $line =~ ^([A-Z].*):$ ]]; then
      section=${BASH_REMATCH[1]}
    elif [[ $section == Formats && $line =~ ^'  '([a-z-]+)('  '('('[.a-z]+')'))?' ' ]]; then
      echo "format ${BASH_REMATCH[1]} ${BASH_REMATCH[3]}"
    elif [[ $section == Forms' of --stream' && $line =~ ^'  '([a-z-]+)' ' ]]; then
      echo "form ${BASH_REMATCH[1]}"
    elif [[ $line =~ ^'  '('-'[A-Za-z]', '|'    ')$option' '(.*)$ ]]; then
      echo "${BASH_REMATCH[1]// /} --${BASH_REMATCH[2]} ${BASH_REMATCH[4]}${BASH_REMATCH[5]:+?${BASH_REMATCH[5]}}${BASH_REMATCH[6]:+=${BASH_REMATCH[6]}}"
      if [[ ${BASH_REMATCH[7]} =~ '(default '([^ ')']+) ]]; then
        echo "$line" | sed -E 's/.*--([a-z-]+).*\(default ([^ )]+).*/--\1: default \2/'
      fi
    elif [[ $line =~ ^' '*- ]]; then
      echo "not understood in --help: $line"
    fi
  done <"$1" | sort
}

facts_of_page() {
  local line section='' name=''
  while IFS= read -r line; do
    if [[ $line =~ ^\.Sh' '(.*)$ ]]; then
      section=${BASH_REMATCH[1]}
    elif [[ $section == FORMATS && $line =~ ^\.Ss' '([a-z-]+)(' '(.*))?$ ]]; then
      echo "format ${BASH_REMATCH[1]} ${BASH_REMATCH[3]}"
    elif [[ $section == STREAM && $line =~ ^\.Ss' '([a-z-]+)$ ]]; then
      echo "form ${BASH_REMATCH[1]}"
    elif [[ $section != OPTIONS ]]; then
      continue
    elif [[ $line =~ ^'.It '('Fl '([A-Za-z])' , ')?'Fl -'([a-z][a-z-]*)(' Ar '([A-Z]+)|' Op Ar '([A-Z]+)|' Ns Op = Ns Ar '([A-Z]+))?$ ]]; then
      name=${BASH_REMATCH[3]}
      echo "${BASH_REMATCH[2]:+-${BASH_REMATCH[2]},} --$name ${BASH_REMATCH[5]}${BASH_REMATCH[6]:+?${BASH_REMATCH[6]}}${BASH_REMATCH[7]:+=${BASH_REMATCH[7]}}"
    elif [[ $line =~ ^'The default is '([^ ,]+) ]]; then
      echo "--$name: default ${BASH_REMATCH[1]}" | sed 's/\.$//; s/\\//'
    elif [[ $line == .It* ]]; then
      echo "not understood in the man page: $line"
    fi
  done <"$1" | sort
}


profile --help all
expect_status 0
cp "$tmp/out" "$tmp/help"

facts_of_help "$tmp/help" >"$tmp/facts"
if grep 'not understood' "$tmp/facts"; then fail "an option of --help is written as no other"; fi
# Simple counts of the text, so that two functions that read nothing do not agree by mistake.
expect_equal "$(grep -c -- ' --' "$tmp/facts")" "$(grep -Ec '^ {2}(-., | {4})--' "$tmp/help")" "options read from --help"
expect_equal "$(grep -c ': default ' "$tmp/facts")" "$(grep -c '(default ' "$tmp/help")" "defaults read from --help"
expect_equal "$(grep -c '^format ' "$tmp/facts")" "$(sed -n '/^Formats:$/,/^$/p' "$tmp/help" | grep -c '^  ')" "formats read"
expect_equal "$(grep -c '^form ' "$tmp/facts")" "$(sed -n '/^Forms of/,/^$/p' "$tmp/help" | grep -c '^  ')" "forms read"
for fact in '^format ' '^form '; do grep -q "$fact" "$tmp/facts" || fail "--help names no $fact"; done

facts_of_page "$page" >"$tmp/page_facts"
diff "$tmp/facts" "$tmp/page_facts" >"$tmp/differences" ||
  fail "--help (<) and man/profile.8 (>) differ:"$'\n'"$(cat "$tmp/differences")"

# Every option that the page mentions exists. Some are only of a subcommand.
for command in report diff store; do "$PROFILE" "$command" --help all; done >"$tmp/command_help"
while read -r _ flag; do
  grep -Eqs -- "^  (.*, )? *-${flag}[][, ]" "$tmp/help" "$tmp/command_help" || fail "the man page speaks of -$flag, which --help does not know"
done < <(grep -Eo 'Fl -?[A-Za-z][A-Za-z-]*' "$page" | sort -u)

# The section EVENTS has every event of --list-events, except hardware events.
profile --list-events
expect_status 0
sed -n '/^\.Sh EVENTS/,/^\.Sh FORMATS/p' "$page" >"$tmp/events"
events=0
while read -r event; do
  grep -Eq "^\.(Cm|Ss) (.*[ :])?$event( |,|$)" "$tmp/events" || fail "the man page does not tell of -e $event"
  events=$((events + 1))
done < <(sed -n '/^Hardware events:$/,/^$/d; s/^  \([^ ,]*\).*/\1/p' "$tmp/out")
((events >= 15)) || fail "only $events events were looked for"

# The comparison must notice a fact that is only on one side, or that differs.
for edit in 's/^  -p, --pid /  -x, --pid /' 's/--pid LIST/--pid WORD/' 's/(default 49)/(default 50)/' 's/(default 127)//' \
  '/--interval/d' '/^  folded  (/d' '/^  folded   /d' 's/\[=FORM\]/[=WORD]/' 's/\[=FORM\]/ FORM/' 's/--top \[N\]/--top [X]/' 's/--top \[N\]/--top N  /' \
  's/(\.folded)/(.fold)/' '/^Other:/a\      --extra N                 one more' \
  '/^Other:/a\  -x, --extra                   one more' '/^Formats:/a\  extra  (.extra)               one more'; do
  sed "$edit" "$tmp/help" >"$tmp/edited"
  if facts_of_help "$tmp/edited" | cmp -s - "$tmp/page_facts"; then fail "this change of --help goes unnoticed: $edit"; fi
done
for edit in 's/^\.It Fl p , /.It /' 's/Fl -pid Ar LIST/Fl -pid Ar WORD/' 's/^The default is 49/The default is 50/' \
  '/^The default is 127/d' '/^\.It .*Fl -interval/d' '/^\.Ss folded (/d' '/^\.Ss folded$/d' \
  's/Op = Ns Ar FORM/Op = Ns Ar WORD/' 's/-top Op Ar N/-top Op Ar X/' 's/-top Op Ar N/-top Ar N/' 's/^\.Ss stacks$/.Ss stack/' 's/^\.Ss folded (.*/.Ss folded (.fold)/' \
  '/^\.It .*Fl -quiet/i .It Fl -extra Ar N' '/^\.It .*Fl -quiet/i .It Fl x , Fl -extra' '/^\.Ss folded/i .Ss extra (.extra)'; do
  sed "$edit" "$page" >"$tmp/edited"
  if facts_of_page "$tmp/edited" | cmp -s - "$tmp/facts"; then fail "this change of the man page goes unnoticed: $edit"; fi
done

if command -v groff >/dev/null; then
  run groff -mandoc -ww -Tutf8 -z "$page"
  expect_status 0
  expect_silence err
else
  echo "not checked: there is no groff here"
fi
if command -v mandoc >/dev/null; then
  run mandoc -Tlint -Wwarning "$page"
  expect_status 0
  expect_silence out
else
  echo "not checked: there is no mandoc here"
fi
