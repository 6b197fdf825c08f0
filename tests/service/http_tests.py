"""Conformance of skde-serve to the standards of its connections: HTTP/1.1 (RFC 9110, 9112), server-sent events, tus 1.0.0."""

import email.utils
import socket
import time

from service_process import HEAD, PIECE, TUS, OwnServices, Pieces, ServiceTest, grid_points, main, read_all


class FramingTest(ServiceTest):
    def answers(self, text, more=False):
        """Returns the statuses of all answers to these bytes. With `more`, the client leaves it to the service to close."""
        with self.service.dial(text) as end:
            if not more:
                end.shutdown(socket.SHUT_WR)
            return [int(part[:3]) for part in read_all(end).split(b"HTTP/1.1 ")[1:]]

    def test_bodies_that_others_may_read_otherwise_end_the_connection(self):
        smuggled = b"0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"
        head = HEAD.format("POST /processes/echo/execution").encode()
        for coding, status in (
                (b"Transfer-Encoding: gzip\r\n", 501), (b"Transfer-Encoding: gzip, chunked\r\n", 501),
                (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 501),
                (b"Transfer-Encoding: xchunked\r\n", 501), (b"Transfer-Encoding: identity\r\n", 501),
                (b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", 400),
                (b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400),
                (b"Content-Length: 3\r\nContent-Length: 5\r\n", 400), (b"Content-Length: +3\r\n", 400),
                (b"Content-Length: 3\r\nContent-Length: 3\r\n", 400), (b"Content-Length: 3, 3\r\n", 400)):
            found = self.answers(head + coding + b"\r\n" + smuggled)
            self.assertEqual(len(found), 1, (coding, found))
            self.assertIn(found[0], (400, 501) if status == 400 else (501,), coding)
        body = b'{"inputs":{"a":1}}'
        right = b"Transfer-Encoding: Chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        for broken in (b"0x1\r\na\r\n", b"+1\r\na\r\n", b"1\na\n", b"1\r\naXX", b"fffffffffffffffff\r\n", b"-1\r\n"):
            found = self.answers(head + b"Transfer-Encoding: chunked\r\n\r\n" + broken + smuggled)
            self.assertEqual(found, [400], broken)
        self.assertEqual(self.answers(head + right + head + b"Connection: close\r\n" + right, more=True), [200, 200])

    def test_one_host(self):
        for head, status in ((b"", 400), (b"Host: a\r\nHost: a\r\n", 400), (b"Host: a\r\n", 200), (b"Host:\r\n", 200),
                             (b"Host: [::1]:80\r\n", 200), (b"Host: a b\r\n", 400), (b"Host: a/b\r\n", 400),
                             (b"Host: x@a\r\n", 400)):
            self.assertEqual(self.answers(b"GET /health/live HTTP/1.1\r\n" + head + b"\r\n"), [status], head)
        self.assertEqual(self.answers(b"GET /health/live HTTP/1.0\r\n\r\n"), [200])

    def test_line_ends_before_a_request_are_skipped(self):
        one, line = b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n", b"\r\n"
        self.assertEqual(self.answers(line + one + line + line + one), [200, 200])
        self.assertEqual(self.answers(line * 20000 + one), [200])
        self.assertEqual(self.answers(line * 10), [])

    def test_who_speaks_http_1_0_is_told_that_the_connection_stays_open(self):
        with self.service.dial() as end:
            for _ in range(2):
                end.sendall(b"GET /health/live HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                answer = b""
                while b"ok" not in answer:
                    answer += end.recv(65536)
                self.assertIn(b"\r\nConnection: keep-alive\r\n", answer)
        self.assertEqual(self.answers(b"GET /health/live HTTP/1.0\r\n\r\n", more=True), [200])

    def test_media_types_without_regard_to_case_and_no_forms(self):
        refused = self.service.call("POST", "/clouds", b"{}", {"Content-Type": "Application/JSON; charset=utf-8"})
        self.assertEqual(self.problem(refused, 400, "usage")["parameter"], "path")
        form = self.service.call("POST", "/clouds?name=a.csv", b"--x\r\n\r\n1 2 3\r\n--x--",
                                 {"Content-Type": "multipart/form-data; boundary=x"})
        self.assertIn("--data-binary", self.problem(form, 415, "request")["suggestion"])
        upload = Pieces(self.service, 6)
        answer = self.service.call("PATCH", upload.place, b"1 2 3\n", {
            **TUS, "Content-Type": "Application/Offset+Octet-Stream", "Upload-Offset": "0"})
        self.assertEqual(answer.status, 204)

    def test_forms_of_the_address(self):
        for form, status in ((b"http://a/health/live", 200), (b"HTTP://a:80/health/live?x=1", 200), (b"http://a", 200),
                             (b"http://a?x=1", 200), (b"ftp://a/health/live", 400), (b"health/live", 400)):
            self.assertEqual(self.answers(b"GET " + form + b" HTTP/1.1\r\nHost: a\r\n\r\n"), [status], form)

    def test_who_speaks_http_1_0_is_not_told_to_go_on(self):
        head = b"POST /processes/echo/execution HTTP/1.%d\r\nHost: a\r\nAuthorization: Bearer TOKEN\r\n" \
               b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: 13\r\n\r\n" b'{"inputs":{}}'
        self.assertEqual(self.answers(head % 0, more=True), [200])
        self.assertEqual(self.answers(head % 1, more=True), [100, 200])

    def test_options_and_dates(self):
        for path, allowed in (("/", "GET, HEAD, OPTIONS"), ("/jobs", "GET, HEAD, OPTIONS"),
                              ("/clouds", "GET, HEAD, POST, OPTIONS"), ("/view", "GET, HEAD, OPTIONS"),
                              ("/uploads", "POST, OPTIONS"), ("/uploads/a", "HEAD, POST, PATCH, DELETE, OPTIONS"),
                              ("/processes/echo/execution", "POST, OPTIONS")):
            answer = self.service.call("OPTIONS", path)
            self.assertEqual((answer.status, answer.headers["allow"], answer.body), (204, allowed, b""), path)
            date = email.utils.parsedate_to_datetime(answer.headers["date"])
            self.assertLess(abs(date.timestamp() - time.time()), 10)
        self.assertEqual(self.answers(b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), [204])
        self.assertEqual(self.service.call("DELETE", "/jobs").headers["allow"], "GET, HEAD, OPTIONS")
        self.assertEqual(self.service.call("OPTIONS", "/nothing").status, 404)

    def test_names_of_schemes_and_units_have_no_case(self):
        cloud = self.service.add_cloud("1 2 3\n")
        for scheme in ("bearer", "BEARER", "Bearer", "Bearer "):
            answer = self.service.call("GET", f"/clouds/{cloud}/content", headers={
                "Authorization": f"{scheme} {self.service.token}", "Range": "Bytes=2-4"})
            self.assertEqual((answer.status, answer.body), (206, b"2 3"))
        self.assertEqual(self.service.call("GET", "/jobs", headers={"Authorization": "Bearer"}).status, 401)


class TagTest(ServiceTest):
    def test_tags_are_those_of_bytes(self):
        cloud = self.service.add_cloud(grid_points(50))
        job = self.service.finish("density", {"cloud": cloud, "dims": 8})
        for path in (f"/clouds/{cloud}/content", f"/jobs/{job}/results/volume", f"/jobs/{job}/results/summary"):
            ask = lambda **headers: self.service.call(
                "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            tag = ask().headers["etag"]
            self.assertRegex(tag, '^"[^"]+"$')
            self.assertEqual(ask().headers["etag"], tag)
            self.assertEqual(ask(If_Match=tag).status, 200)
            self.assertEqual(ask(If_Match='"x", ' + tag).status, 200)
            self.assertEqual(ask(If_Match="*").status, 200)
            for other in ('"x"', "W/" + tag):
                self.problem(ask(If_Match=other), 412, "request")
            self.assertEqual(ask(If_None_Match="W/" + tag).status, 304)
            self.assertEqual(ask(If_None_Match='"x"').status, 200)
            self.problem(ask(If_Match='"x"', If_None_Match=tag), 412, "request")
        weak = self.service.call("GET", f"/clouds/{cloud}/content", headers={
            "Range": "bytes=0-3", "If-Range": "W/" + self.service.call("GET", f"/clouds/{cloud}/content").headers["etag"]})
        self.assertEqual(weak.status, 200)


class EventTest(OwnServices):
    def test_ids_go_on_behind_a_restart(self):
        service = self.started()
        job = service.finish("echo", {"a": 1})
        status, before = service.events(job)
        last = before[-1][0]
        self.assertEqual((status, before[-1][2]["status"]), (200, "successful"))
        self.assertEqual(service.events(job, last)[0], 204)
        service.again()
        self.assertEqual(service.events(job, last)[0], 204)
        for older in (1, 2, last - 1):
            status, events = service.events(job, older)
            self.assertEqual((status, events[-1][2]["status"]), (200, "successful"))
            self.assertGreaterEqual(events[-1][0], last)

    def test_looking_at_a_stream_is_no_watching(self):
        service = self.started()
        job = service.finish("echo", {"a": 1})
        for _ in range(3):
            self.assertEqual(service.call("HEAD", f"/jobs/{job}/events").status, 200)
        self.assertEqual(service.metric("skde_event_watchers"), 0)


class TusTest(ServiceTest):
    def test_what_was_said_of_an_upload_comes_back(self):
        said = "filename cG9pbnRzLmNzdg==,filetype dGV4dC9jc3Y=,empty"
        place = self.service.call("POST", "/uploads", headers={
            **TUS, "Upload-Length": "9", "Upload-Metadata": said}).headers["location"]
        self.service.again()
        answer = self.service.call("HEAD", place, headers=TUS)
        self.assertEqual((answer.headers["upload-metadata"], answer.headers["upload-offset"]), (said, "0"))
        piece = {**PIECE, "Upload-Offset": "0"}
        self.assertEqual(self.service.call("PATCH", place, b"1 2 3\n4 5", piece).status, 204)
        for _ in range(2):  # it is a cloud now, and still after a restart
            answer = self.service.call("HEAD", place, headers=TUS)
            self.assertEqual((answer.headers["upload-metadata"], answer.headers["upload-offset"]), (said, "9"))
            self.service.again()

    def test_problems_name_the_version(self):
        upload = Pieces(self.service, 9)
        for method, path, headers, status in (
                ("HEAD", "/uploads/none", TUS, 404), ("PATCH", upload.place, {**PIECE, "Upload-Offset": "5"}, 409),
                ("PATCH", upload.place, {**TUS, "Upload-Offset": "0"}, 415), ("POST", "/uploads", TUS, 400),
                ("POST", "/uploads", {"Upload-Length": "9"}, 412), ("PUT", "/uploads", TUS, 405)):
            answer = self.service.call(method, path, b"1" if method == "PATCH" else None, headers)
            self.assertEqual((answer.status, answer.headers.get("tus-resumable")), (status, "1.0.0"), (method, path))
        for method, path, body in (("PATCH", upload.place, bytes(10)), ("POST", "/uploads", bytes(2 << 20))):
            answer = self.service.call(method, path, body, {**PIECE, "Upload-Offset": "0", "Upload-Length": "9"})
            self.assertEqual((answer.status, answer.headers.get("tus-resumable")), (413, "1.0.0"), (method, path))

    def test_methods_that_a_client_cannot_send(self):
        data = b"1 2 3\n4 5 6\n"
        upload = Pieces(self.service, len(data))
        send = lambda method, headers, body=None: self.service.call(
            "POST", upload.place, body, {**headers, "X-HTTP-Method-Override": method})
        self.assertEqual(send("PATCH", {**PIECE, "Upload-Offset": "0"}, data[:6]).status, 204)
        answer = send("HEAD", TUS)
        self.assertEqual((answer.status, answer.headers["upload-offset"], answer.body), (200, "6", b""))
        self.assertEqual(send("PATCH", {**PIECE, "Upload-Offset": "6"}, data[6:]).status, 204)
        self.assertEqual(self.service.content(upload.id), data)
        upload = Pieces(self.service, len(data))
        self.assertEqual(send("DELETE", TUS).status, 204)
        self.assertEqual(send("HEAD", TUS).status, 404)
        self.assertEqual(send("TRACE", TUS).status, 405)
        # The client may use any method for that.
        upload = Pieces(self.service, len(data))
        patch = {**PIECE, "Upload-Offset": "0", "X-HTTP-Method-Override": "PATCH"}
        self.assertEqual(self.service.call("PUT", upload.place, data, patch).status, 204)
        self.assertEqual(self.service.content(upload.id), data)

    def test_nothing_is_an_upload_as_well(self):
        upload = Pieces(self.service, 0, "empty.csv")
        answer = self.service.call("HEAD", upload.place, headers=TUS)
        self.assertEqual((answer.headers["upload-offset"], answer.headers["upload-length"]), ("0", "0"))
        self.assertEqual(self.service.content(upload.id), b"")

    def test_the_end_of_an_upload_is_told(self):
        data = b"1 2 3\n"
        upload = Pieces(self.service, len(data))
        self.assertEqual(upload.send(data, 0), 204)
        answer = self.service.call("HEAD", upload.place, headers=TUS)
        self.assertEqual((answer.status, answer.headers["upload-offset"], answer.headers["upload-length"]),
                         (200, "6", "6"))


if __name__ == "__main__":
    main()
