"""The OpenAPI document of skde-serve: its structure, and random requests made from it (fixed seed)."""

import json
import random
import re
import sys
import time
import urllib.parse

from service_process import TUS, Pieces, ServiceTest, grid_points, main

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed")
    sys.exit(0)

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
SECONDS = 10  # of random requests after the first round
SEED = 20250

# Schemas of OpenAPI 3.0.3 for the objects in the document.
YES_OR_NO = {"type": "boolean"}
TEXT, NAMED = {"type": "string", "minLength": 1}, {"type": "object", "minProperties": 1}
REFERENCE = {"type": "object", "required": ["$ref"], "additionalProperties": False,
             "properties": {"$ref": {"type": "string", "pattern": r"^#/components/\w+/[\w-]+$"}}}


def or_reference(schema):
    return {"if": {"type": "object", "required": ["$ref"]}, "then": REFERENCE, "else": schema}


def closed(wanted, /, **properties):
    return {"type": "object", "required": wanted, "properties": properties, "additionalProperties": False}


SCHEMA = {"$ref": "#/definitions/schema"}
MEDIA = {"type": "object", "minProperties": 1, "propertyNames": {"pattern": r"^[\w*.+-]+/[\w*.+-]+(; ?\w+=[\w.-]+)*$"},
         "additionalProperties": closed(["schema"], schema=SCHEMA)}
HEADERS = {**NAMED, "additionalProperties": or_reference(closed(
    ["schema"], description=TEXT, required=YES_OR_NO, schema=SCHEMA))}
RESPONSE = closed(["description"], description=TEXT, content=MEDIA, headers=HEADERS)
PARAMETER = {**closed(["name", "in", "schema"], name=TEXT, description=TEXT, required=YES_OR_NO, schema=SCHEMA,
                      style={"enum": ["form"]}, explode=YES_OR_NO, **{"in": {"enum": ["path", "query", "header"]}}),
             "if": {"properties": {"in": {"const": "path"}}},
             "then": {"required": ["required"], "properties": {"required": {"const": True}}}}
OPERATION = closed(["operationId", "summary", "responses"], summary=TEXT,
                   operationId={"type": "string", "pattern": r"^\w+$"},
                   parameters={"type": "array", "minItems": 1, "items": or_reference(PARAMETER)},
                   requestBody=closed(["content"], content=MEDIA, required=YES_OR_NO, description=TEXT),
                   responses={**NAMED, "propertyNames": {"pattern": "^[1-5][0-9][0-9]$"},
                              "additionalProperties": or_reference(RESPONSE)},
                   security={"type": "array"})
STRUCTURE = {
    "definitions": {"schema": or_reference({
        "type": "object", "additionalProperties": False,
        "properties": {
            "type": {"enum": ["array", "boolean", "integer", "number", "object", "string"]}, "title": TEXT,
            "description": TEXT, "format": TEXT, "default": {}, "example": {},
            "enum": {"type": "array", "minItems": 1, "uniqueItems": True},
            "nullable": YES_OR_NO, "minimum": {"type": "number"}, "maximum": {"type": "number"},
            "minLength": {"type": "integer"}, "minItems": {"type": "integer"}, "items": SCHEMA,
            "required": {"type": "array", "minItems": 1, "uniqueItems": True, "items": TEXT},
            "properties": {"type": "object", "additionalProperties": SCHEMA},
            "additionalProperties": {"if": {"type": "boolean"}, "else": SCHEMA},
            "oneOf": {"type": "array", "minItems": 1, "items": SCHEMA},
            "allOf": {"type": "array", "minItems": 1, "items": SCHEMA}},
        "if": {"properties": {"type": {"const": "array"}}, "required": ["type"]}, "then": {"required": ["items"]}})},
    **closed(["openapi", "info", "paths"], openapi={"const": "3.0.3"}, servers={"type": "array"},
             security={"type": "array"},
             info=closed(["title", "version"], title=TEXT, version=TEXT, description=TEXT),
             paths={"type": "object", "propertyNames": {"pattern": "^/"}, "additionalProperties": {
                 "type": "object", "minProperties": 1, "propertyNames": {"enum": list(METHODS)},
                 "additionalProperties": OPERATION}},
             components=closed([], schemas={**NAMED, "additionalProperties": SCHEMA},
                               responses={**NAMED, "additionalProperties": RESPONSE},
                               parameters={**NAMED, "additionalProperties": PARAMETER}, headers=HEADERS,
                               securitySchemes=NAMED))}


def without_references(document, part):
    """Returns a part of the document with references resolved, and `nullable` translated to JSON Schema."""
    if isinstance(part, list):
        return [without_references(document, entry) for entry in part]
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("$ref"), str):
        target = document
        for word in part["$ref"][2:].split("/"):
            target = target[word]
        return without_references(document, target)
    plain = {key: without_references(document, value) for key, value in part.items()}
    if plain.pop("nullable", None) is True:
        plain["type"] = [plain["type"], "null"]
    return plain


def plain_type(media_type):
    return media_type.split(";")[0].strip().lower()


class OpenApiTest(ServiceTest):
    flags = ("--sync-time", "2")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.written = cls.service.call("GET", "/api").json()
        cls.document = without_references(cls.written, cls.written)
        cls.cloud = cls.service.add_cloud(grid_points(60))
        cls.job = cls.service.run_later("density", {"cloud": cls.cloud, "dims": 8})
        cls.service.wait_for(cls.job)
        cls.random = random.Random(SEED)

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield path, method, operation

    def test_structure(self):
        jsonschema.Draft7Validator.check_schema(STRUCTURE)
        jsonschema.Draft7Validator(STRUCTURE).validate(self.written)
        names = [operation["operationId"] for _, _, operation in self.operations()]
        self.assertEqual(len(names), len(set(names)))
        for path, method, operation in self.operations():
            parameters = [(given["name"], given["in"]) for given in operation.get("parameters", ())]
            self.assertEqual(len(parameters), len(set(parameters)), path)
            told = {name for name, place in parameters if place == "path"}
            self.assertEqual(told, set(re.findall(r"{(\w+)}", path)), path)
            for response in operation["responses"].values():
                for media in response.get("content", {}).values():
                    jsonschema.Draft7Validator.check_schema(media["schema"])

    def test_tokens_are_wanted_where_the_document_says_so(self):
        self.assertEqual(self.written["security"], [{"bearer": []}])
        for path, method, operation in self.operations():
            is_open = operation.get("security") == []
            self.assertEqual("401" not in operation["responses"], is_open, path)
            if method == "get":
                status = self.service.call("GET", self.filled(path), token="other").status
                self.assertEqual(status != 401, is_open, (path, status))

    def filled(self, path, **more):
        """Returns a path filled with IDs that exist."""
        names = {"cloud": self.cloud, "job": self.job, "output": "volume", "file": "index.html", "upload": "f" * 32,
                 **more}
        return re.sub(r"{(\w+)}", lambda name: urllib.parse.quote(str(names[name[1]]), safe=""), path)

    def test_methods_are_those_that_there_are(self):
        upload = Pieces(self.service, 10).id
        for path, item in self.document["paths"].items():
            for method in set(METHODS) - set(item) - {"options"}:
                answer = self.service.call(method.upper(), self.filled(path, upload=upload), headers=TUS)
                self.assertEqual(answer.status, 405, (method, path))
                allowed = {word.strip().lower() for word in answer.headers["allow"].split(",")}
                self.assertEqual(allowed - {"options"}, set(item) - {"options"}, path)

    # Random requests.

    def text(self):
        pool = ("0.5", "x", "", "x,y,z", "äöü ☃", "-1", "a" * 300, "1e400", "%", "../..", "null", "'\"<>", "0")
        return self.random.choice(pool)

    def value(self, schema, name=""):
        """Returns a random value that a schema allows."""
        pick = self.random
        if "enum" in schema:
            return pick.choice(schema["enum"])
        if "oneOf" in schema:
            return self.value(pick.choice(schema["oneOf"]), name)
        if "example" in schema and pick.random() < 0.7:
            return schema["example"]
        kind = schema.get("type", "string")
        if kind == "boolean":
            return pick.random() < 0.5
        if kind == "integer":
            return pick.randint(schema.get("minimum", -5), min(schema.get("maximum", 50), 50))
        if kind == "number":
            return pick.choice((0, 1, 3, 0.25, -1, 1e9))
        if kind == "array":
            return [self.value(schema["items"], name) for _ in range(pick.randint(1, 3))]
        if kind == "object":
            return self.object_of(schema)
        if name in ("cloud", "points", "parts", "job", "volume", "other", "like"):
            return self.job if name in ("job", "volume", "other", "like") else self.cloud
        return self.text() or "a" if schema.get("minLength") else self.text()

    def object_of(self, schema):
        made = {}
        for name, part in schema.get("properties", {}).items():
            if name == "href":
                made[name] = self.random.choice((f"/clouds/{self.cloud}", f"/jobs/{self.job}",
                                                 "data:text/csv,1,2,3%0A4,5,7"))
            elif name in schema.get("required", ()) or self.random.random() < 2 / len(schema["properties"]):
                made[name] = self.value(part, name)
        return made

    def body_of(self, path, content):
        """Returns a body that requests little work, and its media type."""
        kind = self.random.choice(sorted(content))
        if kind != "application/json":
            return b"1,2,3\n2,3,4\n3,5,6\n", "text/csv" if kind == "*/*" else kind
        body = self.value(content[kind]["schema"])
        inputs = content[kind]["schema"]["properties"].get("inputs", {}).get("properties", {})
        for name, small in (("dims", 6), ("samples", 20), ("engine", "grid")):
            if name in inputs and isinstance(body.get("inputs"), dict):
                body["inputs"][name] = small
        if body.get("inputs") is not None:
            for name in ("spacing", "tolerance", "replicates"):
                body["inputs"].pop(name, None)
        return body, kind

    def spoilt(self, path, content, headers):
        """Returns the body of a request with one mistake, and whether it must be refused."""
        body, kind = self.body_of(path, content)
        how = self.random.choice(("none", "type", "text", "inputs", "name", "response", "outputs"))
        headers["Content-Type"] = kind
        if how == "none":
            return None, True
        if how == "type":
            headers["Content-Type"] = "image/gif"
            return (json.dumps(body).encode() if isinstance(body, dict) else body), False
        if kind != "application/json" or "inputs" not in content[kind]["schema"]["properties"]:
            return b"{" if kind == "application/json" else body, kind == "application/json"
        if how == "text":
            return b'{"inputs": {', True
        if how == "inputs":
            return {**body, "inputs": self.random.choice(([], "a", 5))}, True
        if how == "name":
            closed_ = content[kind]["schema"]["properties"]["inputs"].get("additionalProperties") is False
            return {**body, "inputs": {**body.get("inputs", {}), "nonsense": 1}}, closed_
        if how == "response":
            return {**body, "response": "loud"}, True
        return {**body, "outputs": {"nonsense": {}}}, True

    def request_of(self, path, method, operation, wrong):
        """Returns address, body, headers, and whether the answer must be a 4xx."""
        query, headers, names = {}, {}, {}
        for given in operation.get("parameters", ()):
            optional = not given.get("required")
            if given["in"] == "path" and wrong and self.random.random() < 0.3:
                names[given["name"]] = self.text() or "nope"
            if given["in"] == "path" or (optional and self.random.random() < 0.6):
                continue
            value = self.value(given["schema"])
            if wrong and self.random.random() < 0.5:
                value = self.text()
            if isinstance(value, bool):
                value = "true" if value else "false"
            value = ",".join(value) if isinstance(value, list) else str(value)
            if given["in"] == "query":
                query[given["name"]] = value
            else:
                headers[given["name"]] = value.encode("ascii", "replace").decode()
        if method == "delete":  # of an object made for this request
            names = {"cloud": self.service.add_cloud("1,2,3\n"), "upload": Pieces(self.service, 9).id,
                     "job": self.service.run_later("echo", {"n": self.random.random()})} if not names else names
        elif "{upload}" in path and not names:
            names = {"upload": Pieces(self.service, self.random.choice((18, 40))).id}
        if wrong and self.random.random() < 0.3:
            query[self.random.choice(("limit", "nonsense", "columns", "a b"))] = self.text()
        body, must_fail = None, False
        if "requestBody" in operation:
            content = operation["requestBody"]["content"]
            if wrong:
                body, must_fail = self.spoilt(path, content, headers)
                must_fail = must_fail and "X-HTTP-Method-Override" not in headers  # another method may need no body
            else:
                body, headers["Content-Type"] = self.body_of(path, content)
        address = self.filled(path, **names) + ("?" + urllib.parse.urlencode(query) if query else "")
        return address, body, headers, must_fail

    def check(self, method, operation, answer, told):
        self.assertTrue(answer.status < 500 or answer.status == 503, (told, answer.status, answer.body))
        self.assertIn(str(answer.status), operation["responses"], (told, answer.body))
        response = operation["responses"][str(answer.status)]
        self.check_headers(response, answer, told)
        kind = answer.headers.get("content-type")
        if "content" not in response:
            self.assertEqual((answer.body, kind), (b"", None), told)
            return
        by_type = {plain_type(name): media["schema"] for name, media in response["content"].items()}
        self.assertIn(plain_type(kind or ""), by_type, told)
        if method == "head":
            self.assertEqual(answer.body, b"", told)
        elif plain_type(kind).endswith("json"):
            problems = list(jsonschema.Draft7Validator(by_type[plain_type(kind)]).iter_errors(answer.json()))
            self.assertEqual(problems, [], told)

    def check_headers(self, response, answer, told):
        for name, header in response.get("headers", {}).items():
            if header.get("required"):
                self.assertIn(name.lower(), answer.headers, told)

    def test_requests_that_are_drawn_meet_documented_answers(self):
        counts, begun = {}, time.monotonic()
        connection = self.service.connect()
        self.addCleanup(connection.close)
        for turn in range(20):
            for path, method, operation in self.operations():
                if turn > 1 and time.monotonic() - begun > SECONDS:
                    break
                address, body, headers, must_fail = self.request_of(path, method, operation, turn % 2 == 1)
                told = (method, address, body, headers)
                answer = self.service.call(method.upper(), address, body, headers, connection=connection)
                self.check(method, operation, answer, told)
                if must_fail:
                    self.assertTrue(400 <= answer.status < 500, (told, answer.status))
                counts[answer.status] = counts.get(answer.status, 0) + 1
        print(f"{sum(counts.values())} requests:", dict(sorted(counts.items())))
        self.assertGreater(counts[200], 40)
        for status in (201, 204, 400, 404):
            self.assertIn(status, counts)


if __name__ == "__main__":
    main()
