"""Measures skde-serve on the loopback: service_figures.py SKDE_SERVE [JOBS]. Bounded in count and time.

Prints one line per figure: overhead of small synchronous jobs, jobs per second, upload and download, watchers, memory.
"""

import array
import json
import os
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

KEPT = 1 << 20  # bytes; a longer answer is valid only until the next one
HEAD_END = b"\r\n\r\n"


class Connection:
    """A persistent connection, with as little overhead between request and answer as Python allows."""

    def __init__(self, service):
        self.service = service
        self.memory = bytearray()
        self.socket = socket.create_connection((service.host, service.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, method, path, body=b"", headers=""):
        self.socket.sendall((f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                             f"{self.service.token}\r\nContent-Length: {len(body)}\r\n{headers}\r\n").encode() + body)

    def receive(self):
        text = b""
        while HEAD_END not in text:
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise ConnectionError("closed")
            text += piece
        head, body = text.split(HEAD_END, 1)
        told = re.search(rb"Content-Length: (\d+)", head)
        length = int(told[1]) if told else 0
        if length > len(self.memory):  # allocating memory would take as long as the transfer
            self.memory = bytearray(length)
        rest, there = memoryview(self.memory)[:length], len(body)
        rest[:there] = body
        while there < length:
            count = self.socket.recv_into(rest[there:])
            if count == 0:
                raise ConnectionError("closed")
            there += count
        return int(head[9:12]), rest if length > KEPT else bytes(rest)

    def call(self, method, path, body=b"", headers=""):
        self.send(method, path, body, headers)
        return self.receive()


class Service:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="skde-figures-")
        self.process = subprocess.Popen([program, "--data", self.folder, "--listen", "127.0.0.1:0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        self.host, port, self.token = re.match(r"skde-serve http://([\d.]+):(\d+)/ token (\S+)", line).groups()
        self.port = int(port)
        while Connection(self).call("GET", "/health/ready")[0] != 200:
            time.sleep(0.02)

    def resident(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024

    def worker_resident(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            workers = file.read().split()
        total = 0
        for worker in workers:
            with open(f"/proc/{worker}/status", encoding="ascii") as file:
                total += int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024
        return total

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        shutil.rmtree(self.folder)


def density(cloud, bandwidth, output="volume"):
    return json.dumps({"inputs": {"cloud": cloud, "dims": 32, "bandwidth": f"{bandwidth:.9g}"},
                       "outputs": {output: {}}}).encode()


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def overhead(service, cloud, count):
    """Measures the time that the client waits beyond the engine's own run."""
    connection = Connection(service)
    over, whole = [], []
    for i in range(count + 20):
        begin = time.perf_counter()
        status, body = connection.call("POST", "/processes/density/execution", density(cloud, 0.5 + i * 1e-6, "summary"))
        seconds = time.perf_counter() - begin
        assert status == 200, body
        if i >= 20:
            over.append(seconds - json.loads(body)["seconds"])
            whole.append(seconds)
    print(f"small synchronous job: whole p50 {1e3 * statistics.median(whole):.2f} ms; above the run of the engine p50 "
          f"{1e3 * statistics.median(over):.2f} ms, p99 {1e3 * percentile(over, 0.99):.2f} ms ({count} jobs)")


def jobs_a_second(service, cloud, count, connections=4):
    def work(first):
        connection = Connection(service)
        for i in range(first, count, connections):
            assert connection.call("POST", "/processes/density/execution", density(cloud, 1 + i * 1e-6))[0] == 200
    threads = [threading.Thread(target=work, args=(first,)) for first in range(connections)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"small jobs: {count / (time.perf_counter() - begin):.0f} a second over {connections} connections")


def transfers(service, megabytes):
    """Uploads a file and downloads it, over one connection each."""
    size = megabytes << 20
    line = b"0.123456 0.234567 0.345678\n"
    piece = (line * ((1 << 20) // len(line) + 1))[:1 << 20]
    before = service.resident()
    connection = Connection(service)
    begin = time.perf_counter()
    connection.socket.sendall((f"POST /clouds?name=large.xyz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                               f"{service.token}\r\nContent-Length: {size}\r\n\r\n").encode())
    for _ in range(megabytes):
        connection.socket.sendall(piece)
    sent = time.perf_counter() - begin
    status, body = connection.receive()
    assert status == 201, body
    kept = time.perf_counter() - begin
    cloud = json.loads(body)["id"]
    grown = service.resident() - before
    buffer = bytearray(4 << 20)
    connection.send("GET", f"/clouds/{cloud}/content", headers="Range: bytes=4096-\r\n")
    begin, there = time.perf_counter(), 0
    while there < size - 4096:
        there += connection.socket.recv_into(buffer)
    down = time.perf_counter() - begin
    print(f"{megabytes} MiB: upload {size / sent / 1e9:.2f} GB/s until taken, {size / kept / 1e9:.2f} GB/s until synced "
          f"and answered; range download {size / down / 1e9:.2f} GB/s; memory grew by {grown:.1f} MiB")
    connection.call("DELETE", f"/clouds/{cloud}")


def watchers(service, cloud, count, jobs, connections=4):
    """Watches a waiting job while small jobs overtake it."""
    connection = Connection(service)

    def later(dims):
        body = json.dumps({"inputs": {"cloud": cloud, "dims": dims, "engine": "naive"}}).encode()
        status, text = connection.call("POST", "/processes/density/execution", body, "Prefer: respond-async\r\n")
        assert status == 201, text
        return json.loads(text)["jobID"]

    first, watched = later(256), later(420)
    before = service.resident()
    watching = []
    for _ in range(count):
        watching.append(Connection(service))
        watching[-1].send("GET", f"/jobs/{watched}/events")
    while int(re.search(rb"skde_event_watchers (\d+)", connection.call("GET", "/metrics")[1])[1]) < count:
        time.sleep(0.05)
    times = []

    def work(number):
        own = Connection(service)
        for i in range(number, jobs + 20 * connections, connections):
            begin = time.perf_counter()
            assert own.call("POST", "/processes/density/execution", density(cloud, 4 + i * 1e-6))[0] == 200
            if i >= 20 * connections:
                times.append(time.perf_counter() - begin)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)  # they wait behind the first one
    connection.call("DELETE", f"/jobs/{first}")
    for thread in threads:
        thread.join()
    connection = Connection(service)  # the first connection was idle, for too long on a slow machine
    state = json.loads(connection.call("GET", f"/jobs/{watched}")[1])["status"]
    print(f"{count} watchers of a job ({state}): memory grew by {service.resident() - before:.1f} MiB; {jobs} small jobs "
          f"over {connections} connections meanwhile p50 {1e3 * statistics.median(times):.2f} ms, "
          f"p99 {1e3 * percentile(times, 0.99):.2f} ms")
    connection.call("DELETE", f"/jobs/{watched}")
    for one in watching:
        one.socket.close()


def memory(service, cloud, count):
    connection = Connection(service)
    sizes = []
    for i in range(count):
        assert connection.call("POST", "/processes/density/execution", density(cloud, 2 + i * 1e-6))[0] == 200
        if i % max(1, count // 4) == count // 4 - 1:
            sizes.append((service.resident(), service.worker_resident()))
    print(f"{count} jobs in a row: MiB of the service " + ", ".join(f"{own:.1f}" for own, _ in sizes) +
          "; of its workers " + ", ".join(f"{worker:.1f}" for _, worker in sizes))


def slider(service, samples=1_000_000, cells=256, count=20):
    """Measures steps of the bandwidth, each until the new volume has reached the client."""
    connection = Connection(service)
    state, values = 1, array.array("d")
    for i in range(3 * samples):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        values.append(statistics.NormalDist().inv_cdf(((state >> 11) + 0.5) / 2**53))
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({samples}, 3), }}".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.tobytes()
    cloud = json.loads(connection.call("POST", "/clouds?name=normal.npy", data)[1])["id"]
    p50 = {}
    for way, more, headers in (("kept", {}, ""), ("not kept", {}, "Cache-Control: no-store\r\n"),
                               *((kind, {"stored-as": kind}, "Cache-Control: no-store\r\n") for kind in ("f16", "u8"))):
        times = []
        for i in range(count + 3):
            inputs = {"cloud": cloud, "dims": cells, "bounds": "-4,-4,-4:4,4,4", "bandwidth": 0.2 + 0.01 * i, "format": "npy"}
            request = json.dumps({"inputs": {**inputs, **more}, "outputs": {"volume": {}}}).encode()
            begin = time.perf_counter()
            status, body = connection.call("POST", "/processes/density/execution", request, headers)
            times.append(time.perf_counter() - begin)
            assert status == 200 and len(body) > cells**3, bytes(body[:300])
        p50[way] = 1e3 * statistics.median(times[3:])
    status, body = connection.call("POST", "/processes/density/execution",
                                   request.replace(b'"volume": {}', b'"summary": {}'))
    summary = json.loads(body)
    print(f"slider: a step to the new volume of {cells}^3 at the client, {samples:,} samples, by {summary['engine']['name']}: "
          f"p50 {', '.join(f'{way} {ms:.1f}' for way, ms in p50.items())} ms; the run of the engine "
          f"{1e3 * summary['engine']['seconds']:.1f} ms, the command {1e3 * summary['seconds']:.1f} ms: "
          + ", ".join(f"{stage['stage']} {1e3 * stage['seconds']:.1f}" for stage in summary["stages"]))


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    service = Service(program)
    try:
        state, rows = 1, []
        for _ in range(3000):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            rows.append((state >> 11) / 2**53)
        data = "".join(f"{rows[3 * i]:.9g} {rows[3 * i + 1]:.9g} {rows[3 * i + 2]:.9g}\n" for i in range(1000)).encode()
        cloud = json.loads(Connection(service).call("POST", "/clouds?name=small.xyz", data)[1])["id"]
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        overhead(service, cloud, count)
        jobs_a_second(service, cloud, count)
        transfers(service, 1024)
        watchers(service, cloud, 1000, 300)
        memory(service, cloud, 4 * count)
        slider(service)
    finally:
        service.close()


if __name__ == "__main__":
    main()
