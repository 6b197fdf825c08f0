"""Validates the output of --json against that of --json-schema: json_schema_tests.py SKDE."""
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

SKDE = sys.argv[1]
SCHEMA = json.loads(subprocess.run([SKDE, "--json-schema"], capture_output=True, text=True, check=True).stdout)
jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
ROWS = "".join(f"{i % 7} {i * i % 11} {i * i * i % 13} {i % 3 + 1}\n" for i in range(60))


def document(kind, exit_code, *arguments, stdin=None):
    """Returns the document that a command prints, which must be valid and of this kind."""
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
    """Checks that an error is a document as well as a line, with the program's exit code."""
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
    """Checks each kind of document in its different forms."""
    cloud, volume, picture = (os.path.join(folder, name) for name in ("a.xyz", "a.vti", "a.nrrd"))
    with open(cloud, "w", encoding="utf-8") as file:
        file.write(ROWS)
    density = document("density", 0, "density", cloud, "-o", volume, "--dims", "8", "--units", "m", "--bandwidth",
                       "silverman")
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
    smoothed = document("smoothing", 0, "smooth", cloud, "--value", "4", "--at", cloud,
                        "-o", os.path.join(folder, "smoothed.csv"))
    means = document("smoothing", 0, "smooth", cloud, "--value", "4", "--dims", "9",
                     "-o", os.path.join(folder, "smoothed.vti"))
    mixture = os.path.join(folder, "mixture.npy")
    fitted = document("fit", 0, "fit", cloud, "-k", "4", "--dims", "8", "--steps", "20", "--hold-out", "0.2", "-o", mixture)
    assert fitted["members"] == 4 and fitted["held_out"]["samples"] + fitted["total_weight"] == 60
    assert [file["what"] for file in fitted["written"]] == ["mixture", "description"]
    of_volume = document("fit", 0, "fit", volume, "-k", "4", "--steps", "20", "-o", mixture)
    assert of_volume["samples"] is None and of_volume["units"] == "m" and of_volume["bytes"]["cloud"] is None
    assert means["points"] is None and means["grid"]["dims"] and smoothed["grid"] is None
    document("volume", 0, "info", os.path.join(folder, "smoothed.vti:" + means["values"][0] + "_mean"))
    assert smoothed["used"] == smoothed["points"]["evaluated"] == evaluated["samples"]["used"]
    converted = document("conversion", 0, "convert", volume, "-o", array)
    assert converted["grid"] == density["grid"]
    assert [file["what"] for file in converted["written"]] == ["volume", "description"]
    compared = document("comparison", 0, "compare", volume, picture, "--resample", "B", "-o", os.path.join(folder, "r.vti"))
    assert compared["resampled"]["path"] == picture and compared["ratio"]["floor_share"] == 1e-3
    assert document("comparison", 0, "compare", volume, array)["overlap"] > 0.99
    chosen = document("bandwidth_choice", 0, "bandwidth", cloud, "--method", "lcv", "--curve", os.path.join(folder, "c.csv"))
    assert chosen["h"] > 0 and len(chosen["curve"]) > 8, chosen["curve"]
    assert chosen["written"][0]["what"] == "curve"
    assert document("bandwidth_choice", 0, "bandwidth", cloud, "--method", "scott")["curve"] == []
    drawn = document("bandwidth_choice", 0, "bandwidth", cloud, "--method", "bootstrap", "--realizations", "3", "--dims", "8")
    assert len(drawn["bootstrap"]["rows"]) == 11
    categories = document("categories", 0, "density", cloud, "--by", "4", "-o", os.path.join(folder, "by.vti"), "--dims", "8")
    assert [category["name"] for category in categories["categories"]] == ["1", "2", "3"]
    fields = document("volumes", 0, "info", os.path.join(folder, "by.vti"))["volumes"]
    assert [field["metadata"]["category"] for field in fields] == ["1", "2", "3"]
    moments, part, merged = (os.path.join(folder, name) for name in ("m.json", "p.skp", "merged.vti"))
    whole = document("cloud_moments", 0, "moments", cloud, "--weights", "4", "-o", moments)
    assert whole["samples"] == 60 and json.load(open(moments, encoding="utf-8")) == whole
    summed = document("partial_sums", 0, "density", cloud, "--weights", "4", "--moments", moments, "--dims", "8", "-o", part)
    asked = document("plan", 0, "density", cloud, "--weights", "4", "--moments", moments, "--dims", "8", "--part", "2/3", "--plan")
    assert asked["parts"] == 3 and asked["grid"] == summed["grid"] and "span" == asked["offers"][0]["name"] == asked["chosen"]
    heavy = os.path.join(folder, "heavy.csv")
    with open(heavy, "w", encoding="utf-8") as file:
        file.write("x,y,z,w\n" + "".join(f"{i % 3},{i % 5},{i % 7},1e25\n" for i in range(20)))
    document("cloud_moments", 0, "moments", heavy, "--weights", "w", "-o", heavy + ".json")
    scaled = document("plan", 0, "density", heavy, "--weights", "w", "--moments", heavy + ".json", "--part", "1/1", "--plan")
    assert scaled["binary_digits"] < 0
    assert summed["samples"]["used"] == 60 and summed["written"][0]["what"] == "partial sums"
    assert document("merged", 0, "merge", part, "-o", merged)["mass_in_box"] > 0.9
    assert "grid" not in document("merged", 0, "merge", moments, "-o", os.path.join(folder, "m2.json"))
    document("engines", 0, "engines")
    offers = document("offers", 0, "engines", "--for", cloud, "--precision", "f64")
    assert offers["samples"]["used"] == 60 and offers["grid"]["precision"] == "f64"
    plan = document("plan", 0, "density", cloud, "-o", volume, "--dims", "8", "--plan")
    assert plan["grid"] == density["grid"] and plan["bandwidth"]["H"] == density["bandwidth"]["H"]
    assert plan["obstacle"] is None and not plan["is_provisional"] and plan["forecast"]["seconds"] > 0
    once = document("plan", 0, "density", "-", "--bandwidth", "1,1,1", "--bounds", "0,0,0:9,9,9", "--plan", stdin=ROWS)
    assert once["chosen"] == "span" and document("plan", 0, "density", cloud, "--bandwidth", "lcv", "--plan")["is_provisional"]
    refused = document("plan", 0, "density", cloud, "--engine", "ranges", "--plan")
    assert "points only" in refused["obstacle"] and refused["chosen"] is None
    document("formats", 0, "formats")
    check_analyses(cloud, volume)


def check_analyses(cloud, volume):
    """Checks the documents of commands that process a density."""
    levels = document("levels", 0, "levels", volume, "--mass", "0.9,0.2")
    assert [level["mass"] for level in levels["levels"]] == [0.9, 0.2] and levels["units"] == "m"
    peaks = document("peaks", 0, "peaks", cloud, "--dims", "12", "-o", volume + ".peaks.csv")
    assert peaks["peaks"][0]["exact"] and peaks["peaks"][0]["samples"] <= 60
    assert document("peaks", 0, "peaks", volume)["peaks"][0]["samples"] is None
    clusters = document("clusters", 0, "clusters", cloud, "--dims", "12", "-o", volume + ".clusters.csv")
    assert sum(cluster["points"] for cluster in clusters["clusters"]) + clusters["outside"] == clusters["points"] == 60
    assert document("clusters", 0, "clusters", volume, "--level", "1e9")["clusters"] == []
    masses = document("masses", 0, "mass", cloud, "--box", "-inf,-inf,-inf:inf,inf,inf", "--sphere", "0,0,0,1")
    assert masses["regions"][0]["mass"] == 1 and masses["samples"] <= 60
    assert document("masses", 0, "mass", volume, "--half-space", "1,0,0,-1e9")["regions"][0]["standard_error"] is None
    surface = document("surface", 0, "iso", volume, "--mass", "0.5", "-o", volume + ".ply")
    assert surface["mass_asked"] == 0.5 and surface["written"][0]["what"] == "mesh"
    slices = document("slices", 0, "slice", volume, "--sheet", "3", "-o", volume + ".npy")
    assert len(slices["at"]) == 3 and [file["what"] for file in slices["written"]] == ["array", "description"]
    projection = document("projection", 0, "project", volume, "--axis", "x", "-o", volume + ".csv")
    assert projection["axis"] == "x" and projection["quantity"] == "integral"
    both = document("projection", 0, "project", volume, "--of", "both", "-o", volume + "_{}.npy")
    assert [one["quantity"] for one in both["quantities"]] == ["integral", "maximum"] and len(both["written"]) == 4
    made = document("generated", 0, "generate", "uniform", "--samples", "30", "--seed", "3", "-o", volume + ".npy")
    assert made["samples"] == 30 and made["written"][0]["bytes"] == os.path.getsize(volume + ".npy")
    grid = document("organised", 0, "organise", cloud, "-o", volume + ".xyz", "--engine", "cpu")
    assert grid["grid"]["width"] * grid["grid"]["height"] >= grid["rows"] and grid["device"] == "cpu"
    draws = document("draws", 0, "sample", cloud, "-n", "50", "--seed", "3", "-o", volume + ".xyz")
    assert draws["drawn"] == 50 and draws["seed"] == 3


with tempfile.TemporaryDirectory() as temporary:
    check_documents(temporary)
    check_errors(temporary)
