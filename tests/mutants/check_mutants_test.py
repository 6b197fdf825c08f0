"""Breaks a patch in each way, and expects the check to find it."""

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
    "tests/core/numbers_tests.cpp": 'TEST_CASE("two is " "two", "[numbers]") {}\nTEST_CASE("three, too") {}\n',
    "tests/mutants/core/two.patch": PATCH,
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
    def found(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in (TREE | {f"tests/mutants/core/{name}.patch": text for name, text in changes.items()}).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check(root)

    def expect_one(self, words, **changes):
        problems, _ = self.found(**changes)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])

    def test_patches_that_hold(self):
        self.assertEqual(self.found(), ([], 1))
        self.assertEqual(self.found(again=PATCH, header=HEADER_PATCH), ([], 3))

    def test_patches_that_do_not_apply(self):
        self.expect_one("does not apply", two=PATCH.replace("return 2", "return 4"))
        self.expect_one("no line 'Killed by", two=PATCH.replace("Killed by", "Noticed by"))
        self.expect_one("0 files", two="Nothing.\nKilled by test_core: two is two\n")

    def test_names_of_tests(self):
        self.expect_one("no test 'two is three'", two=PATCH.replace("two is two", "two is three"))
        self.expect_one("no test 'three'", header=HEADER_PATCH.replace("three*", "three"))


if __name__ == "__main__":
    unittest.main()
