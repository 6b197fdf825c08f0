"""The files by which a desktop offers skde-view know every format that it opens: desktop_tests.py ROOT SKDE"""

import configparser
import json
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

FOLDER = Path(sys.argv[1], "viewer/desktop")
# Types that shared-mime-info has already.
KNOWN = {"text/csv": [".csv"], "text/tab-separated-values": [".tsv"], "application/fits": [".fits", ".fit", ".fts"],
         "application/x-hdf": [".h5", ".hdf5"], "application/x-netcdf": [".nc"]}
# Extensions that other programs use for other files; a desktop must not give those to skde-view.
VAGUE = {".txt", ".dat", ".asc", ".glb"}

SPACE = "{http://www.freedesktop.org/standards/shared-mime-info}"
own = {kind.get("type"): [glob.get("pattern").lstrip("*") for glob in kind.iter(SPACE + "glob")]
       for kind in xml.parse(FOLDER / "skde.xml").getroot()}
desktop = configparser.ConfigParser(interpolation=None)
desktop.read(FOLDER / "skde-view.desktop")
offered = set(desktop["Desktop Entry"]["MimeType"].strip(";").split(";"))
assert offered == set(own) | set(KNOWN), offered ^ (set(own) | set(KNOWN))

listed = json.loads(subprocess.run([sys.argv[2], "formats", "--json"], check=True, capture_output=True, text=True).stdout)
extensions = {word for kind in ("points", "volumes") for row in listed[kind] for word in (row.get("extensions") or row["extension"]).split()}
assert len(extensions) > 25, extensions
matched = [extension for kinds in (own, KNOWN) for extensions_of_one in kinds.values() for extension in extensions_of_one]
missing = {name for name in extensions - VAGUE if not any(name.endswith(extension) for extension in matched)}
assert not missing, missing
