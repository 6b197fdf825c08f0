"""The page of a report, and the files beside it."""

import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import report_data
import report_page
from example_results import example, loaded
from report_data import case_text
from report_plots import plots_of

from markupsafe import escape


def page_of(run, baseline="openmp", plots=()):
    return report_page.page_of(loaded(run), baseline, list(plots))


class WholePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = loaded(example())
        cls.plots = plots_of(cls.run_, "openmp")[::8]
        cls.page = report_page.page_of(cls.run_, "openmp", cls.plots)

    def test_it_has_every_result_every_plot_and_the_machine(self):
        self.assertEqual(self.page.count('<span class="status">'), len(self.run_.results))
        self.assertEqual(self.page.count('<svg role="img"'), len(self.plots))
        for r in self.run_.results:
            self.assertIn(str(escape(case_text(r.case))), self.page)
            self.assertIn(str(escape(r.reason)), self.page)
        for plot in self.plots:
            self.assertIn(f"<b>{escape(plot.title)}</b>", self.page)
        for text in ("A CPU &amp; Sons &lt;2 GHz&gt;, 2 cores", "NVIDIA H200, 139.7 GiB", "commit abcdef0",
                     "96 results: 94 ok, 1 skipped, 1 wrong"):
            self.assertIn(text, self.page)
        self.assertNotIn("The run was stopped", self.page)

    def test_it_refers_to_nothing_outside_itself(self):
        for part in ("http:", "https:", "src=", "@import", "<link", "<script", "file:"):
            self.assertNotIn(part, self.page)
        self.assertEqual(self.page.count('href="'), self.page.count('href="#'))
        self.assertEqual(self.page.count("url("), self.page.count("url(#"))

    def test_every_id_occurs_once_and_every_reference_leads_somewhere(self):
        ids = re.findall(r' id="([^"]*)"', self.page)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertLessEqual(set(re.findall(r'(?:href="|url\()#([^")]*)', self.page)), set(ids))

    def test_its_tags_are_closed_in_their_order(self):
        text = re.sub(r"<!DOCTYPE html>|<meta[^>]*>|<br>", "", self.page)
        ElementTree.fromstring(text)

    def test_its_plots_take_their_colours_from_the_readers_scheme(self):
        svg = self.page[self.page.index("<svg role"):]
        self.assertEqual(re.findall(r"#[0-9a-f]{6}\b", svg), [])
        used = set(re.findall(r"var\((--[\w-]+)\)", svg))
        light, dark = (set(re.findall(r"(--[\w-]+):", part)) for part in
                       self.page[:self.page.index("* { box-sizing")].split("@media"))
        self.assertGreater(len(used), 6)
        self.assertLessEqual(used, light)
        self.assertEqual(light, dark)


class Head(unittest.TestCase):
    def test_headlines_have_engine_ratio_and_error_of_the_largest_case(self):
        page, run = page_of(example()), loaded(example())
        said = re.findall(r'<p class="headline">(.*?)</p>', page)
        self.assertEqual(len(said), 2)  # one per device
        largest = {r.method: r for r in run.results if (r.samples, r.cells) == (100000, 100)}
        ratio = min(largest["openmp"].seconds) / min(largest["span"].seconds)
        self.assertTrue(said[0].startswith("span on A CPU &amp; Sons"), said)
        error = report_data.number_text(float(f"{largest['span'].error:.1e}"))
        for part in (f"{ratio:.3g} times as fast as openmp", f"within {error} of the peak", "N = 10⁵, M = 100"):
            self.assertIn(part, said[0])
        self.assertTrue(said[1].startswith("cuda-chop-crop on NVIDIA H200"), said)  # cuda-span is wrong there

    def test_without_a_baseline_headlines_have_no_ratio(self):
        said = re.findall(r'<p class="headline">(.*?)</p>', page_of(example(), ""))
        self.assertEqual(len(said), 2)
        self.assertNotIn("times as fast", " ".join(said))

    def test_what_is_missing_stands_in_one_line_and_in_no_table(self):
        run = example()
        for r in run["results"]:
            if r["device"] == "cuda":
                r |= {"status": "skipped", "reason": "no CUDA", "seconds": [], "stages": []}
        page = page_of(run)
        self.assertIn("Not measured here: cuda-naive, cuda-chop-crop, cuda-span (no CUDA)</p>", page)
        self.assertEqual(page.count("no CUDA"), 1)
        self.assertEqual(page.count('<span class="status">'), 48)

    def test_spreads_of_over_half_are_marked(self):
        run = example()
        run["results"][2]["seconds"] = [1.0, 1.1, 2.2]
        page = page_of(run)
        self.assertIn("1 of them spread by over 50 %", page)
        self.assertEqual(page.count('class="unsteady"'), 1)
        self.assertIn("1.05 s – 1.65 s <b>+65 %</b>", page)
        self.assertNotIn("spread by over", page_of(example()))


class Tables(unittest.TestCase):
    def test_the_fastest_of_a_case_is_marked_and_compared(self):
        row = re.search(r'<tr class="ok best">.*?</tr>', page_of(example()), re.DOTALL)[0]
        self.assertIn("naive", row)
        self.assertRegex(row, r'<td title="with the upper quartiles ×[^"]*">×\d')

    def test_what_skde_chooses_itself_says_so(self):
        self.assertEqual(page_of(example()).count(">auto</abbr>"), 16)

    def test_results_without_times_have_their_reason_in_their_place(self):
        row = re.search(r'<tr class="wrong">.*?</tr>', page_of(example()), re.DOTALL)[0]
        self.assertIn('<td colspan="5" class="reason">differs by 0.21 of the peak</td>', row)
        self.assertIn('<td class="error">2.1e-01</td>', row)

    def test_a_peer_that_is_off_the_density_shows_its_error_beside_its_times(self):
        run = example()
        run["results"][1] |= {"method": "mpdfestimator", "status": "inexact", "reason": "off the density by 0.07",
                              "error": 0.07}
        page = page_of(run, "span")
        self.assertIn("1 inexact", page)
        row = re.search(r'<tr class="inexact">.*?</tr>', page, re.DOTALL)[0]
        for part in ("mpdfestimator", '<td class="error">7.0e-02</td>', 'title="off the density by 0.07"', "µs"):
            self.assertIn(part, row)
        self.assertNotIn('class="reason"', row)

    def test_a_peer_with_another_kernel_says_so_in_the_place_of_its_error(self):
        run = example()
        run["results"][0] |= {"method": "scipy", "kernel": "gaussian", "policy": "scipy 1.10"}
        del run["results"][0]["error"]
        page = page_of(run)
        self.assertRegex(page, r'title="scipy 1.10">scipy \(gaussian\)')
        self.assertIn('<td class="error">other kernel</td>', page)

    def test_engines_are_held_to_the_gaussian(self):
        run = example()
        run["results"][0] |= {"method": "tile", "kernel": "gaussian", "error": 2e-7}
        page = page_of(run)
        self.assertIn('<td class="error">2.0e-07</td>', page)
        self.assertNotIn("other kernel", page)

    def test_stages_have_their_shares_of_the_ceilings(self):
        row = re.search(r'<tr><th scope="row">accumulate</th>.*?</tr>', page_of(example()), re.DOTALL)[0]
        self.assertRegex(row, r"(?:<td>[\d.]+ [µm]s</td>)(<td>[\d.e+]+ \w*B/s</td><td>[\d.]+ %</td>)")
        self.assertEqual(row.count(" %</td>"), 2)

    def test_readers_and_writers_are_told_by_their_bytes(self):
        run = example()
        run["results"] = [run["results"][0] | {"method": "read ply points", "updates": 0, "seconds": [0.5], "stages":
                          [{"stage": "read", "seconds": 0.5, "bytes": 1e9}]}]
        self.assertIn("<td>2 GB/s</td>", page_of(run, ""))

    def test_what_a_file_says_cannot_become_markup(self):
        run = example() | {"command_line": "<script>alert('x')</script>"}
        run["results"][0]["method"] = '<b onclick="x">'
        page = page_of(run, plots=plots_of(loaded(run), "openmp")[:1])
        self.assertNotIn("<script", page)
        self.assertNotIn("<b o", page)
        self.assertIn("&lt;b onclick=&#34;x&#34;&gt;", page)

    def test_a_stopped_run_says_so_and_one_without_baseline_has_no_ratios(self):
        page = page_of(example() | {"cancelled": True}, "")
        self.assertIn("The run was stopped", page)
        self.assertNotIn("against ", page)

    def test_a_run_without_results_makes_a_page(self):
        page = page_of(example() | {"results": [], "ceilings": [], "overheads": []}, "")
        self.assertIn("0 results: none", page)


class Files(unittest.TestCase):
    def test_every_plot_is_an_SVG_and_a_PNG_in_light_and_dark(self):
        run = example()
        run["results"] = [r for r in run["results"] if r["cells"] == 50 and r["method"] in ("span", "openmp")]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "run.json").write_text(json.dumps(run))
            told = io.StringIO()
            with mock.patch.object(sys, "argv", ["", f"{folder}/run.json", folder, "", "yes"]), redirect_stdout(told):
                report_page.main()
            plots = plots_of(loaded(run), "openmp")
            self.assertEqual(json.loads(told.getvalue()), {"plots": len(plots)})
            self.assertTrue(Path(folder, "report.html").read_text().startswith("<!DOCTYPE html>"))
            self.assertEqual({path.name for path in Path(folder, "plots").iterdir()},
                             {plot.name + end for plot in plots for end in (".svg", ".png", "-dark.svg", "-dark.png")})
            for path in Path(folder, "plots").iterdir():
                if path.suffix == ".svg":
                    ElementTree.parse(path)
                else:
                    self.assertTrue(path.read_bytes().startswith(b"\x89PNG"))

    def test_the_script_says_what_it_lacks(self):
        done = subprocess.run([sys.executable, report_page.__file__, "/no/such.json", ".", "", "no"],
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/no/such.json", done.stderr.strip().splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
