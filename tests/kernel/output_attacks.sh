#!/bin/bash
# Series of files, films and streams neither write nor delete through what another user has put in the way, and each
# new file is readable to whom it should be. tests/cli/output_owners.sh has single files.
source "$(dirname "$0")/sampling.bash"
need_command setpriv
unset SUDO_UID SUDO_GID
umask 022
chmod 755 "$tmp"
cd "$tmp" || exit 1
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
mkdir -m 1777 sticky
mkdir victim
touch -d '1 hour ago' victim/cpu-1.folded victim/cpu-2.folded victim/f0001.png
nobody ln -s ../victim sticky/way
nobody mkdir sticky/theirs
nobody ln -s ../../victim sticky/theirs/way
nobody touch sticky/f0001.png
before=$(ls -l --full-time victim sticky)

# refused REASON [ARGUMENT...]
refused() {
  profile -q -p $$ "${@:2}" 0.1
  expect_status 1
  expect_equal "$(wc -l <err)" 1 "lines on stderr"
  expect_err "^profile: cannot write sticky/.*: $1"
  expect_equal "$(ls -l --full-time victim sticky)" "$before" "files after ${*:2}"
}
# Also where the kernel would follow such links.
links=/proc/sys/fs/protected_symlinks
before_links=$(<$links)
at_exit "echo $before_links >$links"
for setting in 0 1; do for way in sticky/way sticky/theirs/way; do
  echo $setting >$links || fail "protected_symlinks cannot be set"
  link="the link $way belongs to user 65534, who is neither root nor you\$"
  refused "$link" --keep 1 -o "$way/cpu-%s.folded"
  refused "$link" -g "$way/f%04d.png"
  refused "$link" -g "$way/frames/f%04d.png"
  refused "$link" --stream=folded -o "$way/new.folded"
  refused "$link" -o "$way/new.html"
done; done
echo "$before_links" >$links
refused 'the file belongs to user 65534, ' -g sticky/f%04d.png

# Modes and owners of a stream, a film and a series, which --keep limits also when they belong to the caller of sudo.
for form in folded json; do
  profile -q -p $$ "--stream=$form" -o "$form.out" 0.1
  expect_status 0
  expect_equal "$(stat -c '%a %u' "$form.out")" "600 0" "mode and owner of a stream, $form"
done
export SUDO_UID=65534 SUDO_GID=65534
profile -q -p $$ --stream=json -o sudo.out 0.1
expect_status 0
expect_equal "$(stat -c '%a %u:%g' sudo.out)" "600 65534:65534" "mode and owner of a stream"
profile -q -p $$ -g frames/f%04d.png 0.1
expect_status 0
expect_equal "$(stat -c '%a %u:%g' frames frames/f0001.png | tr '\n' ' ')" "755 65534:65534 644 65534:65534 " "a film"
mkdir kept
chown 65534 kept
touch -d '1 hour ago' kept/cpu-{1,2,3,4}.json
chown 65534 kept/cpu-[12].json
chown 1 kept/cpu-4.json
profile -q -p $$ --keep 2 -o kept/cpu-%s.json 0.1
expect_status 0
expect_equal "$(stat -c '%a %u' kept/cpu-??*.json)" "600 65534" "mode and owner of one of a series"
expect_equal "$(find kept -type f | wc -l)" 3 "files after --keep 2, and that of a third user"
[[ -e kept/cpu-4.json ]] || fail "the file of a third user is removed"
