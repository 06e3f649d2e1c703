#!/bin/bash
# A store that refuses, answers nonsense, does not come to an end or has another certificate: one line for each trouble,
# whoever asks, and a run with --store keeps its samples until the store takes them or it is over.
source "$(dirname "$0")/sampling.bash"
need_command python3 openssl
unset http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY no_proxy NO_PROXY CURL_CA_BUNDLE SSL_CERT_FILE PROFILE_PUSH_AUTH

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$tmp/key" -out "$tmp/certificate" -days 2 -subj /CN=elsewhere 2>/dev/null
cat >"$tmp/server.py" <<'PYTHON'
import gzip, http.server, os, socketserver, ssl, sys, zlib
directory = sys.argv[1]
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        left = int(self.headers.get("Content-Length") or 0)
        while left > 0:
            left -= len(self.rfile.read(min(left, 65536)) or b"x" * left)
        way = open(directory + "/way").read().strip()
        with open(directory + "/asked", "a") as asked:
            asked.write(way + "\n")
        if way == "garbage":
            self.wfile.write(b"\x00\xff this is no HTTP\r\n\r\n")
        if way in ("garbage", "hangup"):
            self.close_connection = True
            return
        if way.isdigit():
            self.answer(int(way), b"no")
        elif way == "html":
            self.answer(200, b"<html><body>Welcome</body></html>")
        elif way == "bomb":
            self.answer(200, gzip.compress(bytes(1 << 28)), {"Content-Encoding": "gzip"})
        elif way == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(1 << 20))
            except OSError:
                self.close_connection = True
    do_GET = do_POST
    def answer(self, status, body, more={}):
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    def handle_error(self, request, address):
        pass
server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[2:])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(directory + "/port", "w") as port:
    port.write(str(server.server_port) + "\n")
server.serve_forever()
PYTHON

# serve_odd NAME [CERTIFICATE KEY] : starts such a store and sets $address.
serve_odd() {
  mkdir "$tmp/$1"
  echo 500 >"$tmp/$1/way"
  start python3 "$tmp/server.py" "$tmp/$1" "${@:2}"
  wait_until test -s "$tmp/$1/port"
  address=127.0.0.1:$(<"$tmp/$1/port")
}
# expect_one_line PATTERN : the command failed, and stderr has this line alone.
expect_one_line() {
  expect_status 1
  expect_err "$1"
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines"
}

# peak_of_profile ARGUMENT... : runs it and sets $peak_kb to the memory that its largest process took.
peak_of_profile() {
  run python3 -c '
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as peak:
    peak.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)' "$tmp/peak" "$PROFILE" "$@"
  peak_kb=$(<"$tmp/peak")
}

serve_odd plain
url=clickhouse+http://$address/profiles
while read -r way words; do
  echo "$way" >"$tmp/plain/way"
  for command in "store init" "report -f" "report --source main"; do
    read -r -a arguments <<<"$command"
    peak_of_profile "${arguments[@]}" "$url"
    expect_one_line "^profile: .*$address.*: .*$words"
    ((peak_kb < 600000)) || fail "$command took $peak_kb kB when the store answered with $way"
  done
done <<'ANSWERS'
401 credentials
403 permit
413 too large
429 too many requests
500 has an error
503 has an error
garbage HTTP
hangup broke off
html .
bomb .
endless too long
ANSWERS

# What a store will never take counts as refused, and the rest of the run is reported.
burn leaves 60/2
busy=$started
echo 413 >"$tmp/plain/way"
profile -F 199 -p "$busy" --store "$url" -f 0.5
expect_status 1
expect_balance
expect_present '^leaves;(.*;)?main;outer;middle;heavy '
expect_err 'too large'
for way in 401 500 garbage; do
  echo "$way" >"$tmp/plain/way"
  profile -F 199 -p "$busy" --store "$url" -f 0.5
  expect_status 1
  expect_balance
  expect_present '^leaves;(.*;)?main;outer;middle;heavy '
done

# A certificate that nobody vouches for, and one of another host.
serve_odd tls "$tmp/certificate" "$tmp/key"
url=clickhouse+https://$address/profiles
profile store init "$url"
expect_one_line 'certificate'
chmod 755 "$tmp" # the process that asks is another user
SSL_CERT_FILE=$tmp/certificate profile store init "$url"
expect_one_line 'certificate|elsewhere|host name'
[[ ! -e $tmp/tls/asked ]] || fail "it was asked in spite of its certificate"
