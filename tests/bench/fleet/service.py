"""A machine with three services: gateway asks shop, and shop asks stock, by HTTP. Each request does some of what services do,
in Python and in the libraries below it; together they take a bit more than a CPU.

service.py SECONDS: prints the numbers of the processes. Ends by itself or after SIGINT.
"""

import csv
import ctypes
import decimal
import difflib
import hashlib
import http.client
import http.server
import io
import json
import os
import random
import re
import signal
import sqlite3
import string
import sys
import threading
import time
import xml.etree.ElementTree
import zlib

PRCTL = ctypes.CDLL(None).prctl
PR_SET_PDEATHSIG = 1
THREADS = 4
PACE_S = 0.004  # between two calls of a thread, on average
WORDS = ["".join(random.choices(string.ascii_lowercase, k=random.randint(3, 11))) for _ in range(2000)]


def order(count):
    return [{"id": i, "name": random.choice(WORDS), "price": random.random(), "tags": random.choices(WORDS, k=5)}
            for i in range(count)]


def as_json():
    return json.loads(json.dumps(order(40), indent=1))


def as_csv():
    out = io.StringIO()
    writer = csv.DictWriter(out, ["id", "name", "price", "tags"])
    writer.writerows(order(60))
    return list(csv.reader(io.StringIO(out.getvalue())))


def as_xml():
    root = xml.etree.ElementTree.Element("orders")
    for item in order(30):
        xml.etree.ElementTree.SubElement(root, "order", {"name": item["name"]}).text = str(item["price"])
    return xml.etree.ElementTree.fromstring(xml.etree.ElementTree.tostring(root))


def packed():
    return zlib.decompress(zlib.compress(" ".join(random.choices(WORDS, k=1500)).encode(), random.randint(1, 9)))


def signed():
    return hashlib.pbkdf2_hmac("sha256", random.choice(WORDS).encode(), b"salt", 600).hex()


def searched():
    return re.findall(r"(\w+?)([aeiou]{2,})\w* (?=[b-d])", " ".join(random.choices(WORDS, k=800)))


def compared():
    return difflib.get_close_matches(random.choice(WORDS), WORDS[:150])


def summed():
    return sum(decimal.Decimal(item["price"]).sqrt() for item in order(100))


def ranked():
    return sorted(order(150), key=lambda item: (item["tags"][0], item["price"]))


def templated():
    page = string.Template("<li>$name: $price, ${tags}</li>")
    return "".join(page.substitute(item) for item in order(50))


def stored():
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)")
        base.executemany("INSERT INTO item VALUES (:id, :name, :price)", order(80))
        return base.execute("SELECT name, sum(price) FROM item GROUP BY substr(name, 1, 1) ORDER BY 2 DESC").fetchall()


WORK = {
    "gateway": (as_json, packed, signed, searched),
    "shop": (as_json, as_csv, as_xml, packed, searched, compared, summed, ranked, templated, stored),
    "stock": (as_json, stored, ranked, summed),
}


def work_of(service):
    for work in random.choices(WORK[service], k=2):
        work()


def be(service):
    with open("/proc/self/comm", "w", encoding="ascii") as name:
        name.write(service)


def serve(service, port, ask):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            work_of(service)
            body = json.dumps(ask() if ask else order(5)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        be(service)
        os.write(1, f"{server.server_address[1]}\n".encode())
        server.serve_forever()


def asker(port):
    def ask():
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/" + random.choice(WORDS))
        said = json.loads(connection.getresponse().read())
        connection.close()
        return said
    return ask


def started(service, ask=None):
    """Its process and its port."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.dup2(writing, 1)
        serve(service, 0, ask)
        os._exit(0)
    with os.fdopen(reading, encoding="ascii") as said:
        return child, int(said.readline())


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    stock, port = started("stock")
    shop, port = started("shop", asker(port))
    be("gateway")
    print(os.getpid(), shop, stock, flush=True)
    ask, end = asker(port), time.monotonic() + float(sys.argv[1])

    def call():
        while time.monotonic() < end:
            work_of("gateway")
            ask()
            time.sleep(random.uniform(0, 2 * PACE_S))

    threads = [threading.Thread(target=call) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
