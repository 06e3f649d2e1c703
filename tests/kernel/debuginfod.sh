#!/bin/bash
# Neither a debuginfod server nor the file whose build-id is asked for can be trusted: a server that sends without an
# end does not hold up the end of a run, the process that asks has no rights, and nothing but a build-id is asked for.
source "$(dirname "$0")/children.bash"
ldconfig -p | grep -q 'libdebuginfod\.so\.1' || skip "there is no libdebuginfod here"
need_command setpriv strip

cat >"$tmp/server.py" <<'PYTHON'
import http.server, os, socketserver, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(sys.argv[1], "a") as asked:
            asked.write(self.path + "\n")
        self.send_response(200)
        if os.path.exists(sys.argv[3]):
            self.send_header("Content-Length", str(1 << 40))
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(100000))
                time.sleep(0.1)
        except OSError:
            pass
    def log_message(self, *words):
        pass
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
server = Server(("127.0.0.1", 0), Handler)
with open(sys.argv[2], "w") as port:
    port.write(str(server.server_port) + "\n")
server.serve_forever()
PYTHON
start python3 "$tmp/server.py" "$tmp/asked" "$tmp/port" "$tmp/large"
server=$started
wait_until test -s "$tmp/port"
DEBUGINFOD_URLS=http://127.0.0.1:$(<"$tmp/port")
export DEBUGINFOD_URLS
unset DEBUGINFOD_TIMEOUT DEBUGINFOD_MAXTIME DEBUGINFOD_MAXSIZE

chmod 755 "$tmp"
cp "$WORKLOADS/leaves" "$tmp/leaves"
strip "$tmp/leaves"
start "$tmp/leaves" 600
leaves=$started

# The interval's report waits for the server when the signal comes.
export DEBUGINFOD_CACHE_PATH=$tmp/cache
# Only a part of the file ever comes, which the library calls debuginfo.XXXXXX. It must not stay, and no empty file
# debuginfo, by which the library remembers for ten minutes that there is none.
is_part_there() { compgen -G "$tmp/cache/*/debuginfo*" >"$tmp/parts"; }
is_no_part_there() { ! is_part_there; }
begin --debuginfod -F 99 -p "$leaves" -i 0.5 -o "$tmp/run.folded"
wait_until has_child profile-fetch
fetcher=$(child profile-fetch)
wait_until test -s "$tmp/asked"
expect_equal "$(status_of "$fetcher" Uid | tr -s '\t' ' ')" '2130706434 2130706434 2130706434 2130706434' "users of the fetcher"
for set in CapInh CapPrm CapEff CapAmb; do
  expect_equal "$(status_of "$fetcher" $set)" 0000000000000000 "$set of the fetcher"
done
expect_equal "$(awk '/^Max file size/ { print $4 }' "/proc/$fetcher/limits")" 2147483648 "bytes of a file"
expect_equal "$(stat -c %u:%a "$tmp/cache")" 2130706434:700 "owner and mode of the cache"
kill -INT "$profiler"
finish
expect_status 0
expect_err 'samples in'
wait_until is_no_part_there
grep -vE '^/buildid/[0-9a-f]+/debuginfo$' "$tmp/asked" && fail "something else than a build-id was asked for"

# The server goes on, and the second signal ends the profiler. Two signals in a quarter of a second are one.
# With -i nothing is named ahead, so the server is asked for the report after the first signal.
is_signal_taken() { (((0x$(status_of "$profiler" ShdPnd) & 1 << ($1 - 1)) == 0)); }
for signal in 2 15; do
  : >"$tmp/asked"
  begin --debuginfod -F 99 -p "$leaves" -i 600 -o "$tmp/run.folded"
  wait_until has_child profile-parser
  pause 0.5
  kill -"$signal" "$profiler"
  wait_until test -s "$tmp/asked"
  wait_until is_signal_taken "$signal"
  wait_until is_part_there
  pause 0.5
  kill -"$signal" "$profiler"
  finish
  expect_status $((128 + signal))
  wait_until is_no_part_there
done

# A file that is too large is not waited for.
: >"$tmp/asked"
: >"$tmp/large"
profile --debuginfod -F 99 -p "$leaves" -o "$tmp/run.folded" 0.5
expect_status 0
expect_err '^the debug files of [0-9]+ files? were given up: the debuginfod servers were too slow, or sent too much'
grep -q . "$tmp/asked" || fail "the server was not asked"
is_no_part_there || fail "of a file that was refused this stays: $(<"$tmp/parts")"
rm "$tmp/large"

# A server that is not there is no server that does not have the file.
DEBUGINFOD_URLS=http://127.0.0.1:1 profile --debuginfod -F 99 -p "$leaves" -o "$tmp/run.folded" 0.5
expect_status 0
expect_err '^the debuginfod servers could not be asked for [0-9]+ files?: Connection refused'

# A parser that a file has taken over asks for a path (3, and 14 characters).
: >"$tmp/asked"
begin_with_attack "$tmp/leaves" 1 "1300000000000000030e000000$(printf '../../../pwned' | od -An -v -tx1 | tr -d ' \n')" \
  --debuginfod -o "$tmp/run.folded"
wait_until is_gone "$parser"
kill -INT "$profiler"
pause 0.5
kill -INT "$profiler" 2>/dev/null
finish
if grep -q pwned "$tmp/asked" || [[ -e $tmp/pwned || -e $tmp/../pwned ]]; then fail "a path was asked for"; fi

# A server that keeps the run waiting does not make it longer. It ends here, because it would take 20 seconds.
: >"$tmp/asked"
begin --debuginfod -F 99 -p "$leaves" -o "$tmp/run.folded" 2
wait_until test -s "$tmp/asked"
sleep 3
kill -KILL "$server"
finish
expect_status 0
expect_between "$(sed -nE 's/^[0-9]+ samples in ([0-9]+)\.[0-9]+ s.*/\1/p' "$tmp/err")" 2 2 "seconds, of which it was asked to sample 2"

# Without a place to write, it says so before the run begins.
mkdir "$tmp/closed"
DEBUGINFOD_CACHE_PATH=$tmp/closed profile --debuginfod -f 0.1
expect_status 1
expect_err 'debuginfod: .*cannot use .*/closed.*DEBUGINFOD_CACHE_PATH'
