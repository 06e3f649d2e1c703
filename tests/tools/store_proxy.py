#!/usr/bin/env python3
"""Stands before a ClickHouse server, and answers in its place as a server in trouble does.

store_proxy.py DIRECTORY PORT: writes its own port to DIRECTORY/port. While DIRECTORY/behave exists, its first word says
what becomes of the requests whose SQL has the second word in it (without one: of all): `lost` (the server gets it, and its
answer is not handed on), `cut` (the server gets half of the body), `exception` (an exception with status 200), a status,
`garbage` (no HTTP), `hangup`, `silent`, `endless` (an answer without an end), `bomb` (a gigabyte of zeros, compressed),
`nonsense` (a well-formed answer that means nothing), `half` (the half of the server's answer), `ragged` (the same, with
the length of what is there). Each such request has a line in DIRECTORY/troubled, and each other one in DIRECTORY/passed.
If DIRECTORY/kept is a directory, the other ones are also kept there as they came, with their headers, in files 000001, ...
"""

import http.client
import http.server
import itertools
import os
import socketserver
import sys
import threading
import time
import urllib.parse
import zlib

where, port = sys.argv[1], int(sys.argv[2])
lock = threading.Lock()
kept = os.path.join(where, "kept")
numbers = itertools.count(1)


def note(name, line):
    with lock, open(os.path.join(where, name), "a", encoding="utf-8") as file:
        file.write(line + "\n")


def behaviour(sql):
    try:
        with open(os.path.join(where, "behave"), encoding="utf-8") as file:
            words = file.read().split(None, 1)
    except FileNotFoundError:
        return ""
    return words[0] if words and (len(words) == 1 or words[1].strip() in sql) else ""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def ask_server(self, body):
        server = http.client.HTTPConnection("127.0.0.1", port)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        headers["Content-Length"] = str(len(body))
        server.request("POST", self.path, body, headers)
        answer = server.getresponse()
        return answer.status, answer.read()

    def reply(self, status, body, length=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def keep(self, body):
        if os.path.isdir(kept):
            with open(os.path.join(kept, f"{next(numbers):06}"), "wb") as file:
                file.write(self.raw_requestline + bytes(self.headers).replace(b"\n", b"\r\n") + body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        sql = query["query"][0] if "query" in query else body.decode("utf-8", "replace")
        word = behaviour(sql)
        note("troubled" if word else "passed", f"{word} {sql[:100]}")
        if not word:
            self.keep(body)
            return self.reply(*self.ask_server(body))
        if word == "lost":
            self.ask_server(body)
            self.close_connection = True
        elif word == "cut":
            self.reply(*self.ask_server(body[:len(body) // 2]))
        elif word == "exception":
            self.reply(200, b"Code: 241, e.displayText() = DB::Exception: Memory limit (total) exceeded, e.what() = DB::Exception\n")
        elif word == "garbage":
            self.wfile.write(b"\x00\x01what is this\r\n\r\n" * 100)
            self.close_connection = True
        elif word == "hangup":
            self.close_connection = True
        elif word == "silent":
            time.sleep(3600)
        elif word == "endless":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while True:
                self.wfile.write(b"10000\r\n" + b"\x01" * 65536 + b"\r\n")
        elif word == "bomb":
            packer = zlib.compressobj(9, zlib.DEFLATED, 31)
            packed = b"".join([packer.compress(bytes(1 << 20)) for _ in range(1 << 10)] + [packer.flush()])
            self.reply(200, packed, Content_Encoding="gzip")
        elif word == "nonsense":
            self.reply(200, b"\xff\xfe\x07\x00" * 50)
        elif word in ("half", "ragged"):
            status, answer = self.ask_server(body)
            self.reply(status, answer[:len(answer) // 2 + 1], len(answer) if word == "half" else None)
            self.close_connection = word == "half"
        else:
            self.reply(int(word), b"in trouble\n")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


with Server(("127.0.0.1", 0), Handler) as proxy:
    with open(os.path.join(where, "port.new"), "w", encoding="utf-8") as started:
        started.write(str(proxy.server_address[1]))
    os.rename(os.path.join(where, "port.new"), os.path.join(where, "port"))
    proxy.serve_forever()
