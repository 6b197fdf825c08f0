"""Python in pages that import skde runs, block by block of a page in one process, in a folder where `data` is.

`<!-- needs: MODULE... -->` before a block: it runs where these modules are installed.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:^<!-- needs: ([^\n]+) -->\n)?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md"))
         if any("import skde" in block[2] for block in BLOCK.finditer(path.read_text(encoding="utf-8")))]


def script_of(path):
    """The blocks at their own lines, so that errors name these."""
    text, lines = path.read_text(encoding="utf-8"), []
    for block in BLOCK.finditer(text):
        if all(importlib.util.find_spec(module) for module in (block[1] or "").split()):
            lines += [""] * (text.count("\n", 0, block.start(2)) - len(lines)) + block[2].splitlines()
    return "\n".join(lines) + "\n"


def test_pages_are_found():
    assert ROOT / "docs" / "tasks" / "python.md" in PAGES


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_page(path, tmp_path):
    (tmp_path / "data").symlink_to(ROOT / "data")
    run = subprocess.run([sys.executable, "-B", "-c", f"exec(compile({script_of(path)!r}, {str(path)!r}, 'exec'))"],
                         cwd=tmp_path, env=dict(os.environ, MPLBACKEND="Agg"), capture_output=True, text=True,
                         timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
