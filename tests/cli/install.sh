#!/bin/bash
# `cmake --install` puts the binary, the man page, the schema and the completions where a packager expects them, and the
# binary runs from there.
source "$(dirname "$0")/../lib.sh"

run cmake --install "$BUILD_DIR" --prefix "$tmp/usr"
expect_status 0
[[ -x $tmp/usr/sbin/profile ]] || fail "no sbin/profile; $(outcome)"
# libdir is lib, lib64 or, on Debian below /usr alone, lib/TRIPLET.
expect_equal "$(cd "$tmp/usr" && find . -type f | sed 's,^\./lib[^/]*/\([^/]*-linux-gnu/\)\?,./LIB/,' | sort)" "$(sort <<'FILES'
./LIB/profile/profile-http.so
./LIB/profile/profile-picture.so
./LIB/profile/profile-recording.so
./LIB/profile/profile-terminal.so
./LIB/profile/profile-web.so
./LIB/systemd/system/profile-agent.service
./sbin/profile
./share/bash-completion/completions/profile
./share/man/man8/profile.8
./share/profile/profile-agent.conf
./share/profile/profile.schema.json
./share/zsh/site-functions/_profile
FILES
)" "installed files"
expect_equal "$(find "$tmp/usr" -type f -empty)" "" "empty files"

run "$tmp/usr/sbin/profile" --version
expect_status 0
expect_out '[0-9]+\.[0-9]+'

# The installed completions are those of this program.
run "$tmp/usr/sbin/profile" --completion bash
expect_status 0
cmp "$tmp/out" "$tmp/usr/share/bash-completion/completions/profile" || fail "not what --completion bash prints"
run "$tmp/usr/sbin/profile" --completion zsh
expect_status 0
cmp "$tmp/out" "$tmp/usr/share/zsh/site-functions/_profile" || fail "not what --completion zsh prints"

# The program finds its modules where they were installed.
printf 'main;work 3\n' >"$tmp/a.folded"
run "$tmp/usr/sbin/profile" report --format png "$tmp/a.folded"
expect_status 0
