"""Breaks a patch in each way, and expects the check to find it."""

import json
import tempfile
import unittest
from pathlib import Path

from check_mutants import check

SOURCE = """int one() { return 1; }

int two() { return 2; }

int three() { return 3; }
"""
PATCH = """Two is three.
Killed by test_core: two is two

--- a/src/core/numbers.cpp
+++ b/src/core/numbers.cpp
@@ -2,3 +2,3 @@
 
-int two() { return 2; }
+int two() { return 3; }
 
"""
TREE = {
    "src/core/numbers.cpp": SOURCE,
    "src/core/report/words.hpp": "inline int words() { return 1; }\n",
    "src/core/words.cpp": '#include "core/report/words.hpp"\nint all() { return words(); }\n',
    "tests/core/numbers_tests.cpp": 'TEST_CASE("two is " "two", "[numbers]") {}\nTEST_CASE("three, too") {}\n',
    "tests/mutants/core/two.patch": PATCH,
    "build/Unity/unity_0.cpp": "",
}
HEADER_PATCH = """Words are two.
Killed by test_core: three*

--- a/src/core/report/words.hpp
+++ b/src/core/report/words.hpp
@@ -1 +1 @@
-inline int words() { return 1; }
+inline int words() { return 2; }
"""


class CheckMutants(unittest.TestCase):
    def found(self, compiles=False, **changes):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            tree = {**TREE, **{f"tests/mutants/core/{name}.patch": text for name, text in changes.items()}}
            tree["build/Unity/unity_0.cpp"] = f'#include "{root}/src/core/numbers.cpp"\n'
            command = f"c++ -I{root}/src -o CMakeFiles/core.dir/x.o -c {{}}"
            files = [f"{root}/build/Unity/unity_0.cpp", f"{root}/src/core/words.cpp"]
            tree["build/compile_commands.json"] = json.dumps(
                [{"directory": str(root), "command": command.format(file), "file": file} for file in files])
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check(root, root / "build" if compiles else None)

    def expect_one(self, words, compiles=False, **changes):
        problems, _, _ = self.found(compiles, **changes)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])

    def test_patches_that_hold(self):
        self.assertEqual(self.found(), ([], 1, 0))
        self.assertEqual(self.found(True, again=PATCH, header=HEADER_PATCH), ([], 3, 3))

    def test_patches_that_do_not_apply(self):
        self.expect_one("does not apply", two=PATCH.replace("return 2", "return 4"))
        self.expect_one("no line 'Killed by", two=PATCH.replace("Killed by", "Noticed by"))
        self.expect_one("0 files", two="Nothing.\nKilled by test_core: two is two\n")

    def test_names_of_tests(self):
        self.expect_one("no test 'two is three'", two=PATCH.replace("two is two", "two is three"))
        self.expect_one("no test 'three'", header=HEADER_PATCH.replace("three*", "three"))

    def test_patches_that_do_not_compile(self):
        self.expect_one("error", True, two=PATCH.replace("+int two() { return 3; }", "+int two() { return; }"))
        self.expect_one("error", True, header=HEADER_PATCH.replace("return 2; }", "return 2 }"))


if __name__ == "__main__":
    unittest.main()
