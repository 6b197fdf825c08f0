"""The example of README.md: it runs, and prints what it says."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np

import skde

README = Path(__file__).parents[2] / "README.md"


def test_the_example_prints_what_it_says(tmp_path, monkeypatch):
    (block,) = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, str(README), "exec"), names)  # pylint: disable=exec-used
    assert printed.getvalue().splitlines() == re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
    density = names["d"]
    assert np.array_equal(skde.read("d.vti").values, density.values)
    assert names["half"] > names["most"] > 0 and len(names["scores"]) == len(names["xyz"])
