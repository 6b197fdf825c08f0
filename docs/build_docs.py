"""Builds the documents: build_docs.py PROGRAMS OUTPUT, with the folder of the built programs. `./dev docs` calls it.

The pages are copied to OUTPUT/source, with what programs, schema and Doxygen say of themselves, and Sphinx makes OUTPUT/html of
them. Warnings are errors.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cpp_reference
import man_pages

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
KATEX = Path("/usr/share/javascript/katex")  # Debian: libjs-katex
PROGRAMS = ("skde", "skde-view", "skde-serve", "skde-mpi", "skde-bench")
# Sphinx writes formulas between delimiters that KaTeX recognises.
SET_FORMULAS = """document.addEventListener("DOMContentLoaded", () => {
  for (const formula of document.querySelectorAll(".math")) renderMathInElement(formula);
});
"""


def skde_json(programs, command):
    run = subprocess.run([programs / "skde", command, "--json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def table(head, rows):
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(map(str, row)) for row in rows)]
    return "".join(f"| {line} |\n" for line in lines)


def write_commands(programs, folder):
    """A page for each program and command, and the page that lists them."""
    listed = ["# Commands and flags\n\nThe programs write these pages themselves, as their man pages.\n"]
    (folder / "commands").mkdir()
    for name in PROGRAMS:
        if not (programs / name).exists():
            listed.append(f"\n{name} was not built, so its pages are missing here.\n")
            continue
        pages = list(man_pages.pages_of(programs / name))
        for page, title, text in pages:
            (folder / "commands" / f"{page}.md").write_text(f"# {title}\n{text}", encoding="utf-8")
        entries = "\n".join(f"commands/{page}" for page, _, _ in pages)
        listed.append(f"\n```{{toctree}}\n:maxdepth: 1\n:caption: {name}\n\n{entries}\n```\n")
    (folder / "commands.md").write_text("".join(listed), encoding="utf-8")


def write_formats(programs, folder):
    formats = skde_json(programs, "formats")
    text = "# Formats\n\nWhat the program that built these pages lists. [File conventions](file_conventions.md) has the details.\n"
    for kind, rows in formats.items():
        if isinstance(rows, list):
            named = [(row.get("name", ""), f"`{row.get('extensions', row.get('extension', ''))}`",
                      man_pages.escaped(row.get("summary", ""))) for row in rows]
            text += f"\n## {kind.capitalize()}\n\n" + table(("name", "extensions", "what"), named)
    (folder / "formats.md").write_text(text, encoding="utf-8")


def write_engines(programs, folder):
    rows = [(f"`{row['name']}`", row["summary"], "yes" if row["repeats"] else "no", row.get("error_f32", ""),
             row.get("error_f64") or "") for row in skde_json(programs, "engines")["engines"]]
    text = ("# Engines\n\n`skde engines` prints this list, and `skde engines --for CLOUD` the predicted times. How they work is on the page "
            "[Engines](../method/engine_methods.md). Errors are shares of the peak.\n\n")
    text += table(("name", "description", "reproducible", "error in f32", "in f64"), rows)
    (folder / "engines.md").write_text(text, encoding="utf-8")


def summaries(programs):
    """The keys of each kind of document, and of the objects in them."""
    printed = subprocess.run([programs / "skde", "--json-schema"], check=True, capture_output=True, text=True).stdout
    schema = json.loads(printed)
    kinds = [choice["$ref"].rpartition("/")[2] for choice in schema["oneOf"]]
    objects = [name for name, definition in schema["$defs"].items() if name not in kinds and "properties" in definition]
    return "\n".join([*(definition_section(kind, schema["$defs"][kind]) for kind in kinds), "## Objects in them\n",
                      *(definition_section(name, schema["$defs"][name], "###") for name in objects)])


def definition_section(name, definition, heading="##"):
    required = set(definition.get("required", ()))
    rows = [(f"`{key}`", type_of(value), "always" if key in required else "sometimes",
             man_pages.escaped(value.get("description", ""))) for key, value in definition["properties"].items()]
    text = man_pages.escaped(definition.get("description", ""))
    return f"{heading} {name}\n\n{text}\n\n" + table(("key", "type", "there", "meaning"), rows)


def type_of(value):
    if "$ref" in value:
        return value["$ref"].rpartition("/")[2]
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    kind = value.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else kind


def fill(page, name, text):
    marker = f"<!-- generated: {name} -->\n"
    written = page.read_text(encoding="utf-8")
    if marker not in written:
        sys.exit(f"{page} has no line '{marker.strip()}'")
    page.write_text(written.replace(marker, text), encoding="utf-8")


def copy_pages(source):
    """The pages as they are; pictures of the data stand beside them as in the tree."""
    shutil.rmtree(source.parent / "source", ignore_errors=True)
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("README.md", "*.py", "__pycache__"))
    shutil.copy(DOCS / "conf.py", source)
    shutil.copytree(KATEX, source / "_static/katex", ignore=shutil.ignore_patterns("*.mjs", "*.min.*"))
    (source / "_static/set_formulas.js").write_text(SET_FORMULAS, encoding="utf-8")
    pictures = source.parent / "data"
    pictures.mkdir(exist_ok=True)
    for path in (*(ROOT / "data").glob("*.png"), *(ROOT / "data").glob("*.svg")):
        shutil.copy(path, pictures)


def main():
    programs, output = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if not (programs / "skde").exists():
        sys.exit(f"{programs} has no program skde: build it by './dev demo', or all programs by './dev test'")
    source = output / "source"
    output.mkdir(parents=True, exist_ok=True)
    copy_pages(source)
    reference = source / "reference"
    write_commands(programs, reference)
    write_formats(programs, reference)
    write_engines(programs, reference)
    fill(reference / "summaries.md", "summaries", summaries(programs))
    xml = cpp_reference.write_xml(output)
    fill(reference / "cpp_library.md", "cpp", cpp_reference.enums(xml) + "\n" + cpp_reference.section(xml))
    version = re.search(r"project\(skde VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    environment = dict(os.environ, SKDE_DOCS_VERSION=version, SKDE_DOCS_XML=str(xml))
    built = subprocess.run([sys.executable, "-B", "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", output / "cache",
                            source, output / "html"], env=environment, check=False)
    if built.returncode == 0:
        print(f"documents: {output / 'html/index.html'}")
    return built.returncode


if __name__ == "__main__":
    sys.exit(main())
