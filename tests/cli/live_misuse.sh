#!/bin/bash
# Options that cannot be served give one line before anything is sampled.
source "$(dirname "$0")/../lib.sh"
need_root

refused() {
  profile "${@:2}" 0.1
  expect_status "$1"
  expect_silence out
  expect_equal "$(grep -c '^profile: ' "$tmp/err")" 1 "errors"
}
for path in 'a b' /metrics debug/pprof ../x; do
  refused 2 -T -R 0 -P "$path"
  expect_err "^profile: -P $path: "
done
refused 2 -T -R 0 --listen localhost
expect_err '^profile: --listen localhost: not an address'
refused 1 -T -R 0 --listen 192.0.2.1
expect_err '^profile: cannot listen on 192\.0\.2\.1:'

tied python3 -c '
import socket, time
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
print(listening.getsockname()[1], flush=True)
time.sleep(600)' >"$tmp/port" &
background+=($!)
for ((left = 3000; left > 0; left--)); do [[ -s $tmp/port ]] && break || sleep 0.02; done
refused 1 -T -R "$(<"$tmp/port")"
expect_err "^profile: cannot listen on 127\.0\.0\.1:$(<"$tmp/port"): address already in use; -R names another port\$"
