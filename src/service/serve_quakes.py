"""Starts skde-serve and uploads a cloud: serve_quakes.py SKDE_SERVE FOLDER FILE. `./dev serve` calls it."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

program, folder, file = sys.argv[1], sys.argv[2], Path(sys.argv[3])
service = subprocess.Popen([program, "--data", folder, "--listen", "127.0.0.1:8080"], stdout=subprocess.PIPE, text=True)
line = service.stdout.readline()
if not line:
    sys.exit(service.wait())
address, token = re.match(r"skde-serve (\S+) token (\S+)", line).groups()


def call(method, path, body=None):
    request = urllib.request.Request(address + path, body, {"Authorization": "Bearer " + token}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


clouds = [cloud for cloud in call("GET", "clouds")["clouds"] if cloud["name"] == file.name]
cloud = clouds[0] if clouds else call("POST", "clouds?name=" + file.name, file.read_bytes())
try:
    urllib.request.urlopen(address + "view", timeout=60).close()
    page = f"{address}view#token={token}&cloud={cloud['id']}"
except urllib.error.HTTPError:
    page = None
print(line.strip())
print(f"{file.name} is the cloud {cloud['id']}; a density of it:")
print(f"  curl -H 'Authorization: Bearer {token}' {address}processes/density/execution -o quakes.nrrd -d "
      f"'{json.dumps({'inputs': {'cloud': cloud['id'], 'columns': 'long,lat,depth'}, 'outputs': {'volume': {}}})}'")
print(f"look at it: {page}" if page else "this build has no page for browsers: install nodejs and npm, and build again")
print("Ctrl-C ends it.", flush=True)
signal.signal(signal.SIGINT, signal.SIG_IGN)
while service.poll() is None:
    time.sleep(0.2)
sys.exit(service.returncode)
