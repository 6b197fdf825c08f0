"""The abstract test suite of OGC API - Processes 1.0, Part 1, implemented here."""

import json
import re

from service_process import ServiceTest, grid_points, main

CONF = "http://www.opengis.net/spec/ogcapi-processes-1/1.0/conf/"
REL = "http://www.opengis.net/def/rel/ogc/1.0/"
EXCEPTION = "http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/"


class ConformanceTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cloud = cls.service.add_cloud(grid_points(500))
        cls.inputs = {"cloud": cls.cloud, "dims": 12}

    def get(self, path):
        answer = self.service.call("GET", path)
        self.assertEqual(answer.status, 200, answer.body)
        return answer

    def test_landing_page_links_to_everything(self):  # /conf/core/landingpage-op, -success
        page = self.get("/").json()
        links = {link["rel"]: link["href"] for link in page["links"]}
        for rel in ("service-desc", REL + "conformance", REL + "processes", REL + "job-list"):
            self.assertEqual(self.get(links[rel]).status, 200)

    def test_conformance_names_classes_that_hold(self):  # /conf/core/conformance-success
        classes = self.get("/conformance").json()["conformsTo"]
        for name in ("core", "ogc-process-description", "json", "oas30", "job-list", "dismiss"):
            self.assertIn(CONF + name, classes)

    def test_only_http_1_1_and_these_methods(self):  # /conf/core/http
        answer = self.service.call("POST", "/conformance", b"{}")
        self.problem(answer, 405, "method")
        self.assertIn("GET", answer.headers["allow"])

    def test_process_list_and_descriptions(self):  # /conf/core/process-list-success, process-success
        listed = self.get("/processes").json()
        self.assertEqual({process["id"] for process in listed["processes"]},
                         {"clusters", "density", "eval", "smooth", "fit", "bandwidth", "sample", "sort", "info", "levels",
                          "iso", "slice", "project", "compare", "convert", "moments", "merge", "generate", "organise",
                          "mass", "peaks", "engines", "formats", "echo"})
        for process in listed["processes"]:
            self.assertTrue({"id", "version", "jobControlOptions", "outputTransmission", "links"} <= set(process))
            whole = self.get(f"/processes/{process['id']}").json()
            self.assertEqual(whole["id"], process["id"])
            for part in (*whole["inputs"].values(), *whole["outputs"].values()):
                self.assertIn("schema", part)
                self.assertIn("title", part)

    def test_unknown_process_is_an_exception(self):  # /conf/core/process-exception-no-such-process
        for answer in (self.service.call("GET", "/processes/nope"), self.service.run_now("nope", {})):
            self.assertEqual(self.problem(answer, 404, "not-found")["type"], EXCEPTION + "no-such-process")

    def test_inputs_are_the_flags_of_the_program(self):
        import subprocess
        program = re.sub("skde-serve$", "skde", ServiceTest.program)
        page = subprocess.run([program, "density", "--help", "all"], capture_output=True, text=True, check=True).stdout
        flags = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", page, re.MULTILINE))
        inputs = set(self.get("/processes/density").json()["inputs"])
        left_out = {"output", "picture", "server", "json", "quiet", "strict", "verbose", "by", "by-bandwidth",
                    "by-normalize", "max-categories", "device", "part", "moments", "window", "every", "plan"}
        self.assertEqual(inputs, (flags - left_out) | {"cloud"})

    def test_sync_raw_value_one(self):  # /conf/core/process-execute-sync-raw-value-one
        answer = self.service.run_now("density", self.inputs, outputs={"volume": {}})
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["content-type"], "application/vnd.nrrd")
        self.assertTrue(answer.body.startswith(b"NRRD"))

    def test_sync_raw_value_multi(self):  # /conf/core/process-execute-sync-raw-value-multi
        answer = self.service.run_now("density", self.inputs)
        kind = answer.headers["content-type"]
        self.assertTrue(kind.startswith("multipart/related"))
        self.assertIn('type="application/vnd.nrrd"', kind)  # that of the first part (RFC 2387)
        boundary = re.search('boundary="([^"]+)"', kind)[1].encode()
        parts = answer.body.split(b"--" + boundary)
        self.assertEqual(parts[-1], b"--\r\n")
        self.assertIn(b"Content-ID: <volume>", parts[1])
        summary = json.loads(parts[2].split(b"\r\n\r\n", 1)[1])
        self.assertEqual(summary["kind"], "density")
        self.assertEqual(summary["inputs"], ["points.csv"])

    def test_sync_document(self):  # /conf/core/process-execute-sync-document
        answer = self.service.run_now("density", self.inputs, response="document")
        document = answer.json()
        self.assertEqual(document["summary"]["kind"], "density")
        import base64
        raw = self.service.run_now("density", self.inputs, outputs={"volume": {}})
        self.assertEqual(base64.b64decode(document["volume"]["value"]), raw.body)

    def test_sync_echo_takes_any_input(self):  # /conf/core/process-execute-inputs
        inputs = {"text": "a", "number": 1.5, "list": [1, 2], "object": {"a": {"b": None}}, "flag": True}
        self.assertEqual(self.service.run_now("echo", inputs, response="document").json(), {"echo": inputs})

    def test_qualified_values(self):  # /conf/core/process-execute-input-mixed-type
        answer = self.service.run_now("density", {"cloud": {"value": self.cloud}, "dims": {"value": [4, 5, 6]}},
                                      outputs={"summary": {}})
        self.assertEqual(answer.json()["grid"]["dims"], [4, 5, 6])

    def test_bad_inputs_name_the_parameter(self):
        for inputs, parameter in (({"cloud": self.cloud, "dmis": 3}, "dmis"), ({}, "cloud"),
                                  ({"cloud": self.cloud, "dims": "x"}, "dims"),
                                  ({"cloud": self.cloud, "dims": {"a": 1}}, "dims"),
                                  ({"cloud": self.cloud, "covariance": "/etc/passwd"}, "covariance"),
                                  ({"cloud": self.cloud, "adaptive": "yes"}, "adaptive"),
                                  ({"cloud": self.cloud, "columns": "a,b,c"}, "columns")):
            problem = self.problem(self.service.run_now("density", inputs), 400, "usage")
            self.assertEqual(problem["parameter"], parameter, problem)
        unknown = self.problem(self.service.run_now("density", {"cloud": self.cloud, "bandwith": 1}), 400, "usage")
        self.assertIn("`bandwidth`", unknown["suggestion"])
        self.problem(self.service.run_now("density", {"cloud": "f" * 32}), 404, "not-found")
        self.problem(self.service.call("POST", "/processes/echo/execution", b"{"), 400, "request")
        self.problem(self.service.call("POST", "/processes/echo/execution", b"[" * 100), 400, "request")

    def test_async_job_from_creation_to_results(self):  # /conf/core/process-execute-async, job-*, /conf/job-list
        answer = self.service.ask_later("density", {**self.inputs, "bandwidth": 0.7}, response="document")
        self.assertEqual(answer.status, 201)
        status = answer.json()
        self.assertEqual(answer.headers["location"], "/jobs/" + status["jobID"])
        self.assertEqual(answer.headers["preference-applied"], "respond-async")
        job = status["jobID"]
        done = self.service.wait_for(job)
        self.assertEqual((done["status"], done["progress"], done["type"], done["processID"]),
                         ("successful", 100, "process", "density"))
        self.assertIn(REL + "results", [link["rel"] for link in done["links"]])
        document = self.get(f"/jobs/{job}/results").json()
        self.assertEqual(self.get(document["volume"]["href"]).headers["content-type"], document["volume"]["type"])
        self.assertEqual(document["summary"], self.get(f"/jobs/{job}/results/summary").json())
        listed = self.get("/jobs").json()["jobs"]
        self.assertIn(job, [other["jobID"] for other in listed])
        self.assertEqual(self.get("/jobs?limit=1").json()["jobs"], [listed[0]])

    def test_async_raw_reference(self):  # /conf/core/job-results-async-raw-ref
        job = self.service.finish("density", self.inputs, outputs={"volume": {"transmissionMode": "reference"}})
        answer = self.service.call("GET", f"/jobs/{job}/results")
        self.assertEqual(answer.status, 204)
        self.assertIn(f"</jobs/{job}/results/volume>", answer.headers["link"])

    def test_failed_job_answers_its_exception(self):  # /conf/core/job-results-failed
        cloud = self.service.add_cloud("x,y,z\n1,2,3\n1,2,3\n")
        job = self.service.run_later("density", {"cloud": cloud})
        status = self.service.wait_for(job)
        self.assertEqual(status["status"], "failed")
        answer = self.service.call("GET", f"/jobs/{job}/results")
        self.assertEqual(answer.json()["detail"], status["exception"]["detail"])
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        self.assertIn("points.csv", answer.json()["detail"])
        self.assertNotIn(self.service.folder, answer.body.decode())

    def test_no_such_job(self):  # /conf/core/job-exception-no-such-job, job-results-exception
        for method, path in (("GET", "/jobs/nope"), ("GET", "/jobs/nope/results"), ("GET", "/jobs/nope/events"),
                             ("DELETE", "/jobs/nope")):
            problem = self.problem(self.service.call(method, path), 404, "not-found")
            self.assertEqual(problem["type"], EXCEPTION + "no-such-job")

    def test_types_of_problems_are_absolute_addresses(self):  # RFC 9457, 3.1.1
        kinds = {}
        for path, token in (("/jobs?limit=x", None), ("/clouds/nope", None), ("/clouds", "other")):
            problem = self.service.call("GET", path, token=token).json()
            self.assertRegex(problem["type"], r"^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}#[a-z-]+$")
            self.assertEqual(problem["type"].split("#")[1], problem["kind"])
            kinds[problem["kind"]] = problem["type"].split("#")[0]
        self.assertEqual(set(kinds), {"usage", "not-found", "unauthorized"})
        self.assertEqual(len(set(kinds.values())), 1)

    def test_levels_and_mesh_of_a_job(self):
        job = self.service.finish("density", self.inputs)
        levels = self.service.run_now("levels", {"volume": job, "mass": "0.5,0.95"}, response="document").json()
        self.assertEqual([level["mass"] for level in levels["summary"]["levels"]], [0.5, 0.95])
        mesh = self.service.run_now("iso", {"volume": job, "mass": 0.5, "format": "ply"}, outputs={"mesh": {}})
        self.assertTrue(mesh.body.startswith(b"ply\n"))

    def test_eval_and_bandwidth(self):
        points = self.service.add_cloud("x,y,z\n0.5,0.5,0.5\n9,9,9\n", "at.csv")
        answer = self.service.run_now("eval", {"cloud": self.cloud, "points": points}, outputs={"points": {}})
        rows = answer.body.decode().split()
        self.assertEqual(rows[0], "x,y,z,density")
        self.assertGreater(float(rows[1].split(",")[3]), 0.1)
        self.assertEqual(float(rows[2].split(",")[3]), 0)
        chosen = self.service.run_now("bandwidth", {"cloud": self.cloud, "method": "scott"}, response="document")
        self.assertEqual(chosen.json()["summary"]["method"], "scott")

    def test_openapi_document(self):  # /conf/oas30/oas-definition-1, -2; openapi_tests.py has the rest
        document = self.get("/api").json()
        self.assertRegex(document["openapi"], r"^3\.0\.\d$")
        for path in ("/view/{file}", "/health/ready", "/metrics", "/uploads/{upload}", "/jobs/{job}/events"):
            self.assertIn(path, document["paths"])
        density = document["paths"]["/processes/density/execution"]["post"]["requestBody"]
        schema = density["content"]["application/json"]["schema"]["properties"]["inputs"]
        described = self.get("/processes/density").json()["inputs"]
        self.assertEqual(set(schema["properties"]), set(described))
        self.assertEqual(schema["required"], ["cloud"])
        try:
            import jsonschema
        except ImportError:
            return
        for inputs, fits in (({"cloud": "a", "dims": 32}, True), ({"cloud": "a", "bandwidth": [1, 2, 3]}, True),
                             ({"dims": 3}, False), ({"cloud": "a", "precision": "f16"}, False)):
            validator = jsonschema.Draft7Validator(schema)
            self.assertEqual(validator.is_valid(inputs), fits, inputs)


if __name__ == "__main__":
    main()
