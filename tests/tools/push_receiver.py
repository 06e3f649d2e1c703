#!/usr/bin/env python3
"""Receives what --push sends, as Pyroscope and Parca do, and checks that each request is one that they would take.

push_receiver.py DIRECTORY [CERTIFICATE KEY]: writes its port to DIRECTORY/port. Each profile that it accepts is written
to DIRECTORY/NUMBER.pb.gz, and a line "NUMBER PATH ID NAME=VALUE ..." with its labels, sorted, is appended to
DIRECTORY/accepted. A request that is wrong has a line in DIRECTORY/wrong. DIRECTORY/port may name a port to listen to.

While DIRECTORY/behave exists, its first word says how the next requests are answered: a status, or `silent` (never),
`slow` (after half a second), `garbage`, `endless`, `hangup`, `lost` (takes the profile, and breaks off without an answer).
The words behind a status are headers, as Retry-After:1. Each request that was not accepted has a line "PATH WORD" in
DIRECTORY/refused.
"""

import base64
import gzip
import http.server
import json
import os
import re
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse

where = sys.argv[1]
lock = threading.Lock()
numbers = {"accepted": 0}


def append(name, line):
    with open(os.path.join(where, name), "a", encoding="utf-8") as file:
        file.write(line + "\n")


def fields_of(data):
    """The (number, value) of a protocol buffer's fields; a value is a number or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        value = varint()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
            assert at <= len(data), "a field is cut off"
        else:
            assert key & 7 == 0, "a field of another kind"
        yield key >> 3, value


def of_pyroscope(body):
    """PushRequest { RawProfileSeries { LabelPair { name, value }, RawSample { raw_profile, ID } } }"""
    for number, series in fields_of(body):
        assert number == 1
        labels, samples = [], []
        for field, value in fields_of(series):
            if field == 1:
                pair = dict(fields_of(value))
                labels.append((pair[1].decode(), pair[2].decode()))
            else:
                assert field == 2
                sample = dict(fields_of(value))
                assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
                                    sample[2].decode()), "the id is no UUID"
                samples.append((sample[1], sample[2].decode()))
        assert dict(labels).get("service_name"), "no service_name"
        yield labels, samples


def of_parca(body):
    """WriteRawRequest in JSON."""
    document = json.loads(body)
    assert document["normalized"] is True
    for series in document["series"]:
        labels = [(label["name"], label["value"]) for label in series["labels"]["labels"]]
        yield labels, [(base64.b64decode(sample["rawProfile"], validate=True), "-") for sample in series["samples"]]


PROTOCOLS = {
    "/push.v1.PusherService/Push": ("application/proto", of_pyroscope),
    "/api/profiles/writeraw": ("application/json", of_parca),
}


def take(path, kind, body):
    """Accepts the request; raises AssertionError or another exception where a server would refuse it."""
    content_type, read = PROTOCOLS[path]
    assert kind == content_type, f"content type {kind}"
    found = list(read(body))
    assert found, "nothing is in it"
    for labels, samples in found:
        names = [name for name, _ in labels]
        assert len(names) == len(set(names)), f"duplicate labels: {names}"
        assert "__name__" in names, "no __name__"
        for name, value in labels:
            assert re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name) and value, f"a label {name}={value}"
        assert samples
        for profile, identity in samples:
            assert gzip.decompress(profile), "an empty profile"
            with lock:
                numbers["accepted"] += 1
                number = f"{numbers['accepted']:04}-{os.getpid()}"
                with open(os.path.join(where, number + ".pb.gz"), "wb") as file:
                    file.write(profile)
                append("accepted", " ".join([number, path, identity, *sorted(f"{n}={v}" for n, v in labels)]))


def behaviour():
    try:
        with open(os.path.join(where, "behave"), encoding="utf-8") as file:
            return file.read().split()
    except OSError:
        return []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer is two packets

    def do_POST(self):
        self.path = urllib.parse.urlsplit(self.path).path  # a proxy is asked for a whole URL
        body = self.rfile.read(int(self.headers["Content-Length"]))
        words = behaviour()
        word = words[0] if words else ""
        with open(os.path.join(where, "credentials"), "w", encoding="utf-8") as file:
            file.write(self.headers.get("Authorization", "none") + "\n")
        if word and word not in ("slow", "lost"):
            append("refused", f"{self.path} {word}")
        if word.isdigit():
            self.answer(int(word), words[1:])
        elif word == "silent":
            while behaviour()[:1] == ["silent"]:
                time.sleep(0.05)
            self.close_connection = True
        elif word == "garbage":
            self.wfile.write(b"\0\1\2 garbage \r\n" * 100)
            self.close_connection = True
        elif word == "endless":
            self.wfile.write(b"HTTP/1.1 503 Busy\r\nContent-Type: text/plain\r\n\r\n")
            self.close_connection = True
            try:
                while True:
                    self.wfile.write(bytes(100000))
            except OSError:
                pass
        elif word == "hangup":
            self.close_connection = True
        else:
            if word == "slow":
                time.sleep(0.5)
            self.accept(body, word)

    def accept(self, body, word):
        try:
            take(self.path, self.headers["Content-Type"], body)
        except Exception as wrong:  # the test shows whatever it is
            append("wrong", f"{self.path}: {wrong!r}")
            self.answer(400, [])
            return
        if word == "lost":
            self.close_connection = True
        else:
            self.answer(200, [])

    def answer(self, status, headers):
        self.send_response(status)
        for header in headers:
            self.send_header(*header.split(":"))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    allow_reuse_address = True


def main():
    place = os.path.join(where, "port")
    port = int(open(place, encoding="utf-8").read()) if os.path.exists(place) else 0
    server = Server(("127.0.0.1", port), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(place + ".new", "w", encoding="utf-8") as file:
        file.write(f"{server.server_port}\n")
    os.rename(place + ".new", place)
    server.serve_forever()


main()
