#!/bin/bash
# Who may read a new file of results, whom it belongs to, and which links and files of other users are refused on its
# path.
source "$(dirname "$0")/../lib.sh"
need_root
need_command setpriv
unset SUDO_UID SUDO_GID
umask 022
chmod 755 "$tmp"
cd "$tmp" || exit 1
printf 'dd;main;read 70\ndd;main;write 10\n' >in.folded

# written MODE OWNER NAME [ARGUMENT...] : the file has that mode and belongs to that user and group.
written() {
  profile report -q -o "$3" "${@:4}" in.folded
  expect_status 0
  expect_equal "$(stat -c '%a %u:%g' "$3")" "$1 $2" "mode and owner of $3"
}

# Addresses are for the owner only.
mkdir new
for name in a.html a.svg a.folded a.txt a.csv a.speedscope.json; do written 644 0:0 "new/$name"; done
for name in a.json a.pb.gz a.perf; do written 600 0:0 "new/$name"; done
written 600 0:0 new/addresses.txt -A
written 600 0:0 new/odd.name --format json
profile report -q -o "new/series-%s.json" -o "new/%H/of-%s.html" in.folded
expect_status 0
expect_equal "$(stat -c %a new/series-*.json new/??/of-*.html new/??/ | tr '\n' ' ')" "600 644 755 " "modes of a series"
umask 077
written 600 0:0 new/b.html
umask 0
written 644 0:0 new/c.html
written 600 0:0 new/c.json
umask 022

# An existing file keeps its owner and its mode.
touch new/old.json
chmod 640 new/old.json
chown 65534:65534 new/old.json
written 640 65534:65534 new/old.json

# Under sudo, new files and directories belong to the caller, and others stay as they are.
export SUDO_UID=65534 SUDO_GID=100
mkdir sudo
touch sudo/old.html
written 644 65534:100 sudo/a.html
written 600 65534:100 sudo/a.json
written 644 0:0 sudo/old.html
profile report -q -o "sudo/%H/of-%s.json" in.folded
expect_status 0
expect_equal "$(stat -c '%a %u:%g' sudo/??/ sudo/??/of-*.json | tr '\n' ' ')" "755 65534:100 600 65534:100 " "a series"
expect_equal "$(stat -c %u sudo)" 0 "owner of a directory that was there"
for odd in '' x -1 0 4294967295 99999999999; do
  SUDO_UID=$odd written 644 0:0 "sudo/odd$odd.html"
done
run setpriv --reuid=1 --regid=1 --clear-groups "$PROFILE" report -q -f in.folded
expect_status 0
unset SUDO_UID SUDO_GID

# What another user has put in the way.
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
mkdir -m 1777 sticky
mkdir victim
echo precious >victim/file.txt
nobody ln -s ../victim/file.txt sticky/file.txt
nobody ln -s ../victim/new.txt sticky/dangling.txt
nobody ln -s ../victim sticky/way
nobody mkdir sticky/theirs
nobody ln -s ../../victim sticky/theirs/way
nobody ln -s ../../victim/file.txt sticky/theirs/file.txt
nobody touch sticky/taken.txt
nobody mkfifo sticky/fifo.txt
ln victim/file.txt sticky/hard.txt
ln -s sticky/theirs/way good
# refused REASON PATH : one line names what is in the way, and nothing has changed.
refused() {
  for command in "$PROFILE" "setpriv --reuid=1 --regid=1 --clear-groups $PROFILE"; do
    # shellcheck disable=SC2086
    run $command report -q -f -o "$2" in.folded
    expect_status 1
    expect_equal "$(wc -l <err)" 1 "lines on stderr"
    expect_err "^profile: cannot write $2: $1"
    expect_equal "$(ls victim)" file.txt "files there"
    expect_equal "$(cat victim/file.txt)" precious "the file there"
  done
}
link() { printf 'the link %s belongs to user 65534, who is neither root nor you$' "$1"; }
refused "$(link sticky/file.txt)" sticky/file.txt
refused "$(link sticky/dangling.txt)" sticky/dangling.txt
refused "$(link sticky/way)" sticky/way/new.txt
refused "$(link "$tmp/sticky/../sticky/way")" "$tmp/sticky/../sticky/./way/new.txt"
refused "$(link sticky/theirs/way)" sticky/theirs/way/new.txt
refused "$(link sticky/theirs/file.txt)" sticky/theirs/file.txt
refused "$(link sticky/theirs/way)" good/new.txt
refused 'the file belongs to user 65534, who is neither root nor you, and others may write its directory$' sticky/taken.txt
refused 'the file belongs to user 65534, ' sticky/fifo.txt
refused 'the file has another name, too \(a hard link\), and others may write its directory$' sticky/hard.txt
expect_equal "$(stat -c %s sticky/taken.txt)" 0 "bytes in the file of another user"

# The links of the caller, of the caller of sudo and of root are followed; so is what the shell opened.
run nobody "$PROFILE" report -f -o sticky/theirs/own.txt in.folded
expect_status 0
nobody ln -s own.txt sticky/theirs/link.txt
: >sticky/theirs/own.txt
export SUDO_UID=65534 SUDO_GID=65534
profile report -q -f -o sticky/theirs/link.txt in.folded
expect_status 0
unset SUDO_UID SUDO_GID
ln -s ../victim/mine.txt sticky/mine.txt
profile report -q -f -o sticky/mine.txt in.folded
expect_status 0
for file in sticky/theirs/own.txt victim/mine.txt; do
  expect_equal "$(folded_total . "$file")" 80 "what $file holds"
done
expect_equal "$("$PROFILE" report -q -f -o /dev/stdout in.folded | wc -l)" 2 "lines on /dev/stdout"
expect_equal "$("$PROFILE" report -q -f -o /dev/fd/4 in.folded 4>&1 | wc -l)" 2 "lines on /dev/fd/4"
profile report -q -f -o /dev/null in.folded
expect_status 0
