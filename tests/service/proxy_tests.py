"""skde-serve behind nginx with TLS, set up as its README says."""

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from service_process import PATIENCE, ServiceTest, grid_points, main

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "service", "README.md")
SERVER = """
error_log {folder}/errors.log; pid {folder}/nginx.pid; daemon off; master_process off;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
{location}
  }}
}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class ProxyTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if not nginx or not shutil.which("openssl"):
            print("SKIPPED: there is no nginx, or no openssl")
            sys.exit(0)
        super().setUpClass()
        cls.folder, cls.port = tempfile.mkdtemp(), free_port()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", cls.folder + "/key.pem", "-out", cls.folder + "/certificate.pem"],
                       check=True, capture_output=True)
        with open(README, encoding="utf-8") as file:
            location = re.search(r"^    (location / {.*?^    })", file.read(), re.MULTILINE | re.DOTALL)[1]
        location = location.replace("127.0.0.1:8080", f"{cls.service.host}:{cls.service.port}")
        with open(cls.folder + "/nginx.conf", "w", encoding="ascii") as file:
            file.write(SERVER.format(folder=cls.folder, port=cls.port, location=location))
        cls.nginx = subprocess.Popen([nginx, "-c", cls.folder + "/nginx.conf", "-p", cls.folder])
        end = time.monotonic() + PATIENCE
        while True:
            try:
                cls.ask("GET", "/health/live")
                break
            except ConnectionRefusedError:
                if time.monotonic() > end or cls.nginx.poll() is not None:
                    raise
                time.sleep(0.05)

    @classmethod
    def tearDownClass(cls):
        cls.nginx.terminate()
        cls.nginx.wait(PATIENCE)
        shutil.rmtree(cls.folder)
        super().tearDownClass()

    @classmethod
    def connection(cls):
        return http.client.HTTPSConnection("127.0.0.1", cls.port, timeout=PATIENCE,
                                           context=ssl._create_unverified_context())  # its certificate is our own

    @classmethod
    def ask(cls, method, path, body=None, headers=None):
        connection = cls.connection()
        connection.request(method, path, body, {"Authorization": "Bearer " + cls.service.token, **(headers or {})})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response, data

    def test_a_large_cloud_and_ranges_of_its_bytes_go_through(self):
        data = grid_points(1000).encode() * 100  # 3 MiB: more than nginx takes unless told
        response, body = self.ask("POST", "/clouds?name=large.csv", data)
        self.assertEqual(response.status, 201, body)
        place = response.headers["location"]
        response, body = self.ask("GET", place + "/content", headers={"Range": "bytes=1000000-1000099"})
        self.assertEqual((response.status, body), (206, data[1000000:1000100]))

    def test_events_come_as_they_happen(self):
        cloud = self.service.add_cloud(grid_points(20000))
        job = self.service.run_later("density", {"cloud": cloud, "dims": 192, "engine": "naive"})
        connection = self.connection()
        connection.request("GET", f"/jobs/{job}/events", headers={"Authorization": "Bearer " + self.service.token})
        response = connection.getresponse()
        self.assertEqual(response.headers["content-type"], "text/event-stream")
        line = response.readline()
        while b"running" not in line:  # which is told while it goes on
            line = response.readline()
        status = self.service.call("GET", f"/jobs/{job}").json()["status"]
        self.assertEqual(status, "running")
        connection.close()
        self.service.call("DELETE", f"/jobs/{job}")


if __name__ == "__main__":
    main()
