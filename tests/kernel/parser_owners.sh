#!/bin/bash
# A file can take over the parser that reads it, so files of two users are never read by one: each owner has a parser of
# his own while there are few, and where there are many, a new owner gets a fresh one. All programs have their names.
source "$(dirname "$0")/children.bash"
need_command setpriv
chmod 755 "$tmp"

users=(0 65534 1001 1002 1003 1004 1005)
pids=
for user in "${users[@]}"; do
  mkdir "$tmp/$user"
  cp "$WORKLOADS/leaves" "$tmp/$user/of_$user"
  chown -R "$user" "$tmp/$user"
  start setpriv --reuid="$user" --regid="$user" --clear-groups "$tmp/$user/of_$user" 600/3
  pids+=,$started
done
parsers() { pgrep -x -P "$(child profile-keeper)" profile-parser; }
seen=
# see_parsers COUNT : whether there have been so many.
see_parsers() {
  seen=$(printf '%s\n%s' "$seen" "$(parsers)" | sort -u)
  (($(grep -c . <<<"$seen") >= $1))
}

begin -F 199 -p "${pids#,}" -o "$tmp/run.folded"
wait_until see_parsers "${#users[@]}"
pause 1
kill -INT "$profiler"
finish
expect_status 0
expect_balance
mv "$tmp/run.folded" "$tmp/out"
for user in "${users[@]}"; do expect_present "^of_$user;(.*;)?main;outer;middle;heavy "; done

# One owner, one parser.
begin -F 199 -p "$started" -o "$tmp/run.folded"
wait_until has_child profile-parser
pause 1
expect_between "$(parsers | grep -c .)" 1 2 "parsers for the files of one user and of root"
kill -INT "$profiler"
finish
expect_status 0
