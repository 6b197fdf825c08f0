"""Sources and man pages with a mistake each, which the rules of texts have to find, and nothing else."""

import tempfile
import unittest
from pathlib import Path

from text_rules import dialect, help_texts_of, messages, other_texts, violations_of_help, violations_of_message

GOOD = r'''
// throw Error(ErrorKind::usage, "a comment is no message");
[[noreturn]] void refuse(const std::string& name, std::string_view why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, why), {{}, "fetch it again, or check the disk"});
}
void check(int given) {
  if (given < 0) throw Error(ErrorKind::usage, fmt::format("must be at least {}; got '{}'", 0, given));
  if (given > 9) throw Error(ErrorKind::resources, "out of memory", {"dims", "use smaller `dims`"});
  if (given > 8) throw Error(ErrorKind::input, fmt::format("{}: has no rows", name));
  if (given > 7) throw Error(ErrorKind::usage, "unknown name", {{}, did_you_mean(given, names)});
  if (given > 6) throw Problem(404, "not-found", "there is no job");
  if (given > 5) refuse(name, "is truncated");
  if (given > 4) warnings.push_back({"coarse", "the grid is coarse", {"dims", "use more `dims`"}});
}
'''
PAGE = """.SH DESCRIPTION
Computes a density.
.SH OPTIONS
.TP
\\fB\\-\\-dims\\fR \\fIN\\fR
number of cells [128]
.SH EXAMPLES
.TP
\\fBskde density a.csv\\fR
a density
"""


def violations(source):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "src/core/check.cpp")
        path.parent.mkdir(parents=True)
        path.write_text(source, encoding="utf-8")
        root = Path(folder)
        found = [line for m in messages(root) for line in violations_of_message(m)]
        return found + [line for place, text in other_texts(root) for line in dialect(place, text)], messages(root)


class TextRules(unittest.TestCase):
    def expect_one(self, line, *words):
        found, _ = violations(GOOD.replace("void check(int given) {", "void check(int given) {\n  " + line))
        self.assertEqual(len(found), 1, found)
        for word in ("src/core/check.cpp:7", *words):
            self.assertIn(word, found[0])

    def test_good_messages_are_listed(self):
        found, listed = violations(GOOD)
        self.assertEqual(found, [])
        self.assertEqual([(m.kind, m.text, m.advice) for m in listed], [
            ("usage", "must be at least {}; got '{}'", ""),
            ("resources", "out of memory", "use smaller `dims`"),
            ("input", "{}: has no rows", ""),
            ("usage", "unknown name", "..."),
            ("not-found", "there is no job", ""),
            ("warning", "the grid is coarse", "use more `dims`"),
            ("input by refuse", "is truncated", "fetch it again, or check the disk")])

    def test_usage_without_advice(self):
        self.expect_one('throw Error(ErrorKind::usage, "the level is negative", {"level", {}});', "usage", "neither")

    def test_resources_without_advice(self):
        self.expect_one('throw Error(ErrorKind::resources, "out of memory");', "resources", "neither")

    def test_input_that_names_no_file(self):
        self.expect_one('throw Error(ErrorKind::input, "the columns are empty");', "input", "neither")

    def test_problem_without_advice(self):
        self.expect_one('throw Problem(429, "limit", "the queue is full").with("a", "b");', "limit", "neither")

    def test_warning_without_advice(self):
        self.expect_one('print_warning("skde", {"units", "the units differ"});', "warning", "neither")

    def test_kind_chosen_at_run_time(self):
        self.expect_one('throw Error(mine ? ErrorKind::usage : ErrorKind::resources, "no engine fits");', "neither")

    def test_long_message(self):
        self.expect_one(f'throw Error(ErrorKind::usage, "use {"x" * 100} "\n "{"y" * 100}");', "205 characters")

    def test_long_advice(self):
        self.expect_one(f'throw Error(ErrorKind::usage, "bad grid", {{{{}}, "use {"x" * 200}"}});', "204 characters")

    def test_dialect(self):
        for text in ("'{}' is no number", "is none of these", "the file is cut short", "more than was told", "3 whole numbers",
                     "as it promises", "lines are passed over", "written anew"):
            self.expect_one(f'report.line("values", "{text}");', "not plain English", text)

    def test_good_help(self):
        found = help_texts_of("skde", PAGE)
        self.assertEqual([(h.kind, h.text) for h in found],
                         [("command", "Computes a density."), ("option", "number of cells [128]"), ("example", "a density")])
        self.assertEqual([line for h in found for line in violations_of_help(h)], [])

    def test_bad_help(self):
        for text, words in (("", "no text"), ("cells " * 99, "594 characters"), ("how alike they are", "alike")):
            found = help_texts_of("skde", PAGE.replace("number of cells [128]", text))
            lines = [line for h in found for line in violations_of_help(h)]
            self.assertEqual(len(lines), 1, lines)
            self.assertIn("skde: --dims N", lines[0])
            self.assertIn(words, lines[0])


if __name__ == "__main__":
    unittest.main()
