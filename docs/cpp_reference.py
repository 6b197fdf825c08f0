"""The C++ interface from Doxygen's XML: skde.hpp, and the headers that it includes."""

import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/structure"))
from check_documentation import SETTINGS  # noqa: E402
from structure_rules import DOOR, includes_of, project_files, reached_by  # noqa: E402

KINDS = {"class": "doxygenclass", "struct": "doxygenstruct"}
MAIN_CLASSES = ("skde::Session", "skde::DensityRequest", "skde::Density", "skde::Error", "skde::Progress")


def write_xml(folder):
    graph, _ = includes_of(ROOT, set(project_files(ROOT)))
    headers = " ".join(f'"{ROOT / path}"' for path in sorted({DOOR, *reached_by(DOOR, graph)}))
    settings = SETTINGS.format(headers=headers, root=ROOT, output=folder)
    # Host and device qualifiers are not part of a signature.
    settings += "\nEXTRACT_PRIVATE = NO\nMACRO_EXPANSION = YES\nPREDEFINED = SKDE_HOST_DEVICE=\n"
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    return folder / "xml"


def is_public(name):
    return name.startswith("skde::") and "<" not in name and "detail" not in name


def directives(folder):
    """Returns a Sphinx directive for each public class and struct."""
    index = xml.parse(folder / "index.xml").getroot()
    found = {}
    for compound in index.iter("compound"):
        name, kind = compound.findtext("name"), compound.get("kind")
        nested = name.rpartition("::")[0] in {c.findtext("name") for c in index.iter("compound") if c.get("kind") in KINDS}
        if kind in KINDS and is_public(name) and not nested:
            found[name] = f".. {KINDS[kind]}:: {name}\n   :members:\n"
    first = [name for name in MAIN_CLASSES if name in found]
    return [found[name] for name in [*first, *sorted(set(found) - set(first))]]


def section(folder):
    body = "\n".join(directives(folder))
    return f"```{{eval-rst}}\n{body}```\n"


def enums(folder):
    """Returns a table of the enumerations and their values, which are the words that flags take."""
    rows = []
    for file in sorted(folder.glob("namespaceskde*.xml")):
        for member in xml.parse(file).getroot().iter("memberdef"):
            if member.get("kind") == "enum" and member.findtext("name"):
                values = ", ".join(f"`{value.findtext('name')}`" for value in member.findall("enumvalue"))
                text = re.sub(r"\s+", " ", "".join(member.find("briefdescription").itertext())).strip()
                rows.append(f"| `{member.findtext('qualifiedname')}` | {values} | {text} |")
    return "\n".join(["| enumeration | values | meaning |", "|---|---|---|", *rows]) + "\n"
