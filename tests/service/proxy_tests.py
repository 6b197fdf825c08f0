"""skde-serve behind nginx and behind caddy with TLS, set up as its documents say."""

import contextlib
import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import unittest

from service_process import PATIENCE, ServiceTest, grid_points, main, until, write_file

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "development", "service_operation.md")
NGINX = """
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


CADDY = """
{{
    admin off
    auto_https disable_redirects
    log default {{
        output discard
    }}
}}
{site}
"""


def example_of(pattern):
    """Returns a part of the documentation page, with its indentation."""
    with open(PAGE, encoding="utf-8") as file:
        return re.search(pattern, file.read(), re.MULTILINE | re.DOTALL)[1]


def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxied:
    """Tests through a proxy; `proxy` is its program, and command() starts it."""

    @classmethod
    def setUpClass(cls):
        if not program(cls.proxy):
            raise unittest.SkipTest(f"there is no {cls.proxy}")
        super().setUpClass()
        cls.folder, cls.port = cls.class_folder(), free_port()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", cls.folder + "/key.pem", "-out", cls.folder + "/certificate.pem"],
                       check=True, capture_output=True)
        address = f"{cls.service.host}:{cls.service.port}"
        configuration = write_file(cls.folder + "/configuration", cls.configuration().replace("127.0.0.1:8080", address))
        cls.process = subprocess.Popen(cls.command(configuration), env={**os.environ, "HOME": cls.folder},
                                       stderr=subprocess.DEVNULL)
        def answers():
            with contextlib.suppress(ConnectionRefusedError):
                return cls.process.poll() is not None or cls.ask("GET", "/health/live")
        until(answers, f"{cls.proxy} does not start")

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        cls.process.wait(PATIENCE)
        super().tearDownClass()

    @classmethod
    def connection(cls):
        return http.client.HTTPSConnection("localhost", cls.port, timeout=PATIENCE,
                                           context=ssl._create_unverified_context())  # self-signed certificate

    @classmethod
    def ask(cls, method, path, body=None, headers=None):
        connection = cls.connection()
        connection.request(method, path, body, {"Authorization": "Bearer " + cls.service.token, **(headers or {})})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response, data

    def test_a_large_cloud_and_ranges_of_its_bytes_go_through(self):
        data = grid_points(1000).encode() * 100  # 3 MiB: more than nginx accepts by default
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
        while b"running" not in line:  # reported while the job still runs
            line = response.readline()
        status = self.service.status(job)["status"]
        self.assertEqual(status, "running")
        connection.close()
        self.service.call("DELETE", f"/jobs/{job}")


class NginxTest(Proxied, ServiceTest):
    proxy = "nginx"

    @classmethod
    def configuration(cls):
        location = example_of(r"^    (location / {.*?^    })")
        return NGINX.format(folder=cls.folder, port=cls.port, location=location)

    @classmethod
    def command(cls, configuration):
        return [program("nginx"), "-c", configuration, "-p", cls.folder]


class CaddyTest(Proxied, ServiceTest):
    proxy = "caddy"

    @classmethod
    def configuration(cls):
        site = example_of(r"^    (skde.example.org {.*?^    })")
        tls = f"tls {cls.folder}/certificate.pem {cls.folder}/key.pem"  # own certificate, as localhost is no public name
        return CADDY.format(site=site.replace("skde.example.org {", f"https://localhost:{cls.port} {{\n{tls}"))

    @classmethod
    def command(cls, configuration):
        return [program("caddy"), "run", "--adapter", "caddyfile", "--config", configuration]


if __name__ == "__main__":
    if not program("openssl") or not (program("nginx") or program("caddy")):
        print("SKIPPED: there is no nginx and no caddy, or no openssl")
        sys.exit(0)
    main()
