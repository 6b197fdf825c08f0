"""Holds what skde prints with --json to src/skde/summary_schema.json: json_schema_tests.py SKDE SCHEMA."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed")
    sys.exit(0)

SKDE, SCHEMA = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
ROWS = "".join(f"{i % 7} {i * i % 11} {i * i * i % 13} {i % 3 + 1}\n" for i in range(60))


def document(kind, exit_code, *arguments, stdin=None):
    """The document that a command prints, which must be valid and of this kind."""
    run = subprocess.run([SKDE, *arguments, "--json"], input=stdin, capture_output=True, text=True, check=False)
    where = " ".join(arguments)
    assert run.returncode == exit_code, f"{where}: exit code {run.returncode}: {run.stderr}"
    printed = json.loads(run.stdout)
    assert printed["kind"] == kind, f"{where}: kind {printed['kind']} instead of {kind}"
    # The messages about one kind are clearer than those about a choice of all.
    for error in VALIDATOR.evolve(schema={**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{kind}"}]}).iter_errors(printed):
        deepest = min(error.context or [error], key=lambda e: -len(e.absolute_path))
        raise AssertionError(f"{where}: {list(deepest.absolute_path)}: {deepest.message}")
    unknown = set(printed) - set(SCHEMA["$defs"][kind]["properties"])
    assert not unknown, f"{where}: {unknown} are missing in the schema"
    return printed


def check_errors(folder):
    """An error is a document as well as a line, with the code that the program ends with."""
    missing = document("error", 3, "info", os.path.join(folder, "none.xyz"))
    assert missing["error"] == "input" and "none.xyz" in missing["message"] and missing["exit_code"] == 3
    usage = document("error", 2, "density", "a.xyz", "-o", "b.vti", "--dims", "0")
    assert usage["error"] == "usage" and usage["parameter"] == "dims"
    assert document("error", 2, "density", "a.xyz", "--bandwith", "1")["error"] == "usage"
    assert document("error", 4, "density", "-", "-o", "/proc/a.vti", stdin=ROWS)["error"] == "output"
    room = document("error", 5, "density", "-", "-o", os.path.join(folder, "c.vti"), "--dims", "900,900,900",
                    "--memory-limit", "1M", stdin=ROWS)
    assert room["error"] == "resources" and room["parameter"] == "memory_limit" and room["suggestion"]


def check_documents(folder):
    """Each kind of document, in its different forms."""
    cloud, volume, picture = (os.path.join(folder, name) for name in ("a.xyz", "a.vti", "a.nrrd"))
    with open(cloud, "w", encoding="utf-8") as file:
        file.write(ROWS)
    density = document("density", 0, "density", cloud, "-o", volume, "--dims", "8", "--units", "m")
    assert density["units"] == "m" and density["samples"]["used"] == 60
    given = document("density", 0, "density", cloud, "-o", picture, "--dims", "8", "--bandwidth", "1,1,1",
                     "--weights", "4")
    assert given["bandwidth"]["h"] is None and given["units"] is None
    info = document("cloud", 0, "info", cloud)
    assert info["cloud"] == density["cloud"] and info["samples"] == density["samples"]
    flat = document("cloud", 0, "info", "-", stdin="0 0 0\n1 0 0\n2 0 0\n")
    assert "problem" in flat["suggested"]["scott"]
    described = document("volume", 0, "info", volume)
    for name in ("kernel", "total_weight", "units", "normalization"):
        assert described["metadata"][name] == density[name], name
    assert described["grid"] == density["grid"]
    assert described["metadata"]["bandwidth"]["H"] == density["bandwidth"]["H"]
    assert len(document("volumes", 0, "info", volume, picture)["volumes"]) == 2
    array = os.path.join(folder, "a.npy")
    evaluated = document("evaluation", 0, "eval", cloud, "-o", os.path.join(folder, "evaluated.csv"), "--loo")
    assert evaluated["points"]["evaluated"] == evaluated["samples"]["used"]
    smoothed = document("smoothing", 0, "smooth", cloud, "--value", "4", "-o", os.path.join(folder, "smoothed.csv"))
    assert smoothed["used"] == smoothed["points"]["evaluated"] == evaluated["samples"]["used"]
    converted = document("conversion", 0, "convert", volume, "-o", array)
    assert converted["grid"] == density["grid"]
    assert [file["what"] for file in converted["written"]] == ["volume", "description"]
    document("engines", 0, "engines")
    offers = document("offers", 0, "engines", "--for", cloud, "--precision", "f64")
    assert offers["samples"]["used"] == 60 and offers["grid"]["precision"] == "f64"
    document("formats", 0, "formats")


with tempfile.TemporaryDirectory() as temporary:
    check_documents(temporary)
    check_errors(temporary)
