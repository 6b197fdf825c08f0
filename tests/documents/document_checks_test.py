"""Documents with one mistake each: the checks of the documents must find it and report nothing else."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKDE = """#!/bin/sh
case "$*" in
  *--help*) [ "$1" != nothing ] && echo '  --dims N  cells' ;;
  *) echo "  cells   8" ;;
esac
"""
README = "# a\n\nText of few words.\n"
GOOD = ("# Page\n\nText, and a [link](../README.md#a).\n\n```sh\nskde density --dims 8 > out.txt\ncat out.txt\n```\n\n"
        "<!-- output -->\n```text\n  cells 8\n```\n\n<!-- not run: measures -->\n```sh\nskde density --dims 9\n./dev test\n```\n\n"
        "<!-- needs: no_such_program -->\n```sh\nno_such_program\n```\n\nThe file `docs/page.md` is named.\n")


def checked(script, page, readme=README, name="page", flags=()):
    with tempfile.TemporaryDirectory() as folder:
        root, programs = Path(folder, "tree"), Path(folder, "bin")
        for path in (root / "docs/pictures", root / "data", programs):
            path.mkdir(parents=True)
        (root / "README.md").write_text(readme, encoding="utf-8")
        (root / f"docs/{name}.md").write_text(page, encoding="utf-8")
        (root / "dev").write_text("  test      all\n", encoding="utf-8")
        (programs / "skde").write_text(SKDE, encoding="utf-8")
        (programs / "skde").chmod(0o755)
        run = subprocess.run([sys.executable, "-B", HERE / script, root, programs, *flags], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr


class DocumentChecks(unittest.TestCase):
    def expect(self, script, page, *words, **more):
        code, output = checked(script, page, **more)
        self.assertEqual(code, 1, output)
        self.assertIn(" 1 problems", output)
        for word in words:
            self.assertIn(word, output)

    def commands(self, page, *words):
        self.expect("document_commands_tests.py", page, *words)

    def links(self, page, *words, **more):
        self.expect("document_links_tests.py", page, *words, **more)

    def prose(self, page, *words, **more):
        self.links(page, *words, flags=["--prose"], **more)

    def test_good_pages_have_no_problem(self):
        for script, *flags in (["document_commands_tests.py"], ["document_links_tests.py"], ["document_links_tests.py", "--prose"]):
            code, output = checked(script, GOOD, flags=flags)
            self.assertEqual(code, 0, output)

    def test_command_that_fails(self):
        self.commands("```sh\ntrue\nfalse\ntrue\n```\n", "docs/page.md:1: failed: false")

    def test_command_that_fails_in_a_pipe(self):
        self.commands("```sh\nfalse | cat\n```\n", "exit code 1")

    def test_command_that_leaves_a_program_behind(self):
        code, output = checked("document_commands_tests.py", "```sh\nsleep 600 &\n```\n")
        self.assertEqual(code, 0, output)

    def test_output_that_nothing_prints(self):
        self.commands(GOOD.replace("  cells 8\n", "  cells 9\n"), "prints 'cells 9'")

    def test_command_in_an_indented_block(self):
        self.commands("# a\n\n    skde density --dims 8\n", "mark the block as sh")

    def test_command_in_an_unmarked_fence(self):
        self.commands("```\nskde density --dims 8\n```\n", "mark the block as sh")

    def test_reason_that_is_not_known(self):
        self.commands("<!-- not run: too slow -->\n```sh\ntrue\n```\n", "'too slow'")

    def test_flag_that_is_gone(self):
        self.commands("<!-- not run: measures -->\n```sh\nskde density --cells 8\n```\n", "no flag --cells")

    def test_command_that_is_gone(self):
        self.commands("<!-- not run: measures -->\n```sh\nskde nothing\n```\n", "no command 'nothing'")

    def test_command_of_dev_that_is_gone(self):
        self.commands("<!-- not run: builds skde -->\n```sh\n./dev nothing\n```\n", "no command 'nothing'")

    def test_link_to_no_file(self):
        self.links("[a](none.md)\n", "none.md")

    def test_link_over_two_lines(self):
        self.links("[a\nb](none.md)\n", "none.md")

    def test_link_to_no_heading(self):
        self.links("[a](../README.md#b)\n", "#b")

    def test_file_that_is_gone(self):
        self.links("As `docs/gone.md` says.\n", "docs/gone.md")

    def test_long_sentences(self):
        self.prose("word " * 19 + ".\n", "words a sentence")

    def test_wide_cell(self):
        self.prose("# a\n", "a cell of 101", readme=README + "| " + "x" * 101 + " | b |\n")

    def test_glossary_that_grows(self):
        self.prose("# a\n\n| term | meaning |\n|---|---|\n" + "| a | b |\n" * 31, "31 terms", name="glossary")


if __name__ == "__main__":
    unittest.main()
