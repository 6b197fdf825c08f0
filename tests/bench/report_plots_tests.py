"""The contents of a report's plots."""

import unittest

from example_results import example, loaded
from report_data import (baseline_of, case_text, count_text, factor_text, is_silverman, number_text, rate_text,
                         seconds_text, usual_baseline)
from report_plots import plots_of


def changed(change):
    """Returns the example with change(result) applied to each result."""
    run = example()
    for result in run["results"]:
        change(result)
    return run


def plots_by_name(run, baseline="openmp"):
    return {plot.name: plot for plot in plots_of(loaded(run), baseline)}


def series(plot, name):
    return next(s for s in plot.series if s.name == name)


def result(run, method, samples, cells):
    return next(r for r in run.results if (r.method, r.samples, r.cells) == (method, samples, cells))


class Plots(unittest.TestCase):
    def test_each_plot_has_a_name_of_its_own(self):
        plots = plots_of(loaded(example()), "openmp")
        # Three quantities against N at four M and against M at four N; two rooflines; errors.
        self.assertEqual(len(plots), 3 * 8 + 2 + 1)
        self.assertEqual(len({plot.name for plot in plots}), len(plots))

    def test_times_against_N_are_the_fastest_runs_with_their_spread(self):
        plot = plots_by_name(example())["paper-time-against-N-m50-h1-five-gaussians"]
        point = series(plot, "span").points[1]
        seconds = sorted(result(loaded(example()), "span", 1000, 50).seconds)
        self.assertEqual(len(plot.series), 6)
        self.assertEqual(point[:3], (1000, seconds[0], seconds[0]))
        self.assertAlmostEqual(point.high, (seconds[1] + seconds[2]) / 2)
        self.assertEqual(plot.notes, [])

    def test_results_without_times_are_on_no_line_but_in_the_notes(self):
        plot = plots_by_name(example())["paper-time-against-N-m100-h1-five-gaussians"]
        self.assertEqual(len(series(plot, "naive").points), 3)
        self.assertEqual(len(plot.notes), 1)
        self.assertIn("naive at N = 10⁵ (skipped: would take", plot.notes[0])
        self.assertIn("cuda-span at N = 10⁵ (wrong: differs", plot.notes[0])

    def test_methods_that_are_missing_are_named_once_for_the_run_and_in_no_note(self):
        def skip(r):
            if r["device"] == "cuda":
                r |= {"status": "skipped", "reason": "no CUDA", "seconds": [], "stages": []}
        run = changed(skip)
        self.assertEqual(loaded(run).missing, {"no CUDA": ["cuda-naive", "cuda-chop-crop", "cuda-span"]})
        self.assertEqual(plots_by_name(run)["paper-time-against-N-m50-h1-five-gaussians"].notes, [])
        self.assertEqual(loaded(example()).missing, {})  # naive is skipped in one case only

    def test_each_curve_is_drawn_once(self):
        """Lines that equal those of another plot up to a factor add nothing."""
        shapes = {}
        for plot in plots_of(loaded(example()), "openmp"):
            if " against " not in plot.section:
                continue
            first = plot.series[0].points[0].y
            shape = tuple((s.name, p.x, round(p.y / first, 9)) for s in plot.series for p in s.points)
            self.assertIsNone(shapes.get(shape), plot.name)
            shapes[shape] = plot.name

    def test_results_without_updates_have_their_samples_a_second(self):
        run = changed(lambda r: r.update(updates=0))
        point = series(plots_by_name(run)["paper-samples-against-N-m50-h1-five-gaussians"], "span").points[1]
        self.assertAlmostEqual(point.y, 1000 / min(result(loaded(run), "span", 1000, 50).seconds))

    def test_there_is_no_roofline_without_a_roof(self):
        run = example()
        run["ceilings"] = [c for c in run["ceilings"] if c["device"] == "cuda"]
        names = [name for name in plots_by_name(run) if "roofline" in name]
        self.assertEqual(names, ["paper-roofline-cuda-1"])
        self.assertFalse([name for name in plots_by_name(run | {"ceilings": []}) if "roofline" in name])

    def test_a_peer_that_is_off_the_density_is_on_its_line_and_the_notes_say_how_far(self):
        def spoil(r):
            if r["method"] == "openmp":
                r |= {"status": "inexact", "error": 0.21 if r["samples"] == 1000 else 0.02}
        run = changed(spoil)
        plot = plots_by_name(run, "span")["paper-time-against-N-m50-h1-five-gaussians"]
        self.assertEqual(len(series(plot, "openmp").points), 4)
        self.assertEqual(plot.notes, ["Other values than the density: openmp, off by up to 0.21 of the peak"])
        self.assertEqual(usual_baseline(loaded(run).results), "cuda-chop-crop")  # no result has it as baseline

    def test_throughput_and_speed_up_follow_from_the_times(self):
        run, plots = loaded(example()), plots_by_name(example())
        span, base = result(run, "span", 10000, 25), result(run, "openmp", 10000, 25)

        def value(quantity, method="span"):
            return series(plots[f"paper-{quantity}-against-M-n10000-h1-five-gaussians"], method).points[1]
        self.assertAlmostEqual(value("updates").y, span.updates / min(span.seconds))
        self.assertAlmostEqual(value("speed-up").y, min(base.seconds) / min(span.seconds))
        self.assertEqual(value("speed-up", "openmp")[1:4], (1, 1, 1))

    def test_without_baseline_there_is_no_speed_up(self):
        self.assertNotIn("speed-up", " ".join(plots_by_name(example(), "")))

    def test_a_method_looks_the_same_on_every_plot(self):
        styles = {}
        for plot in plots_of(loaded(example()), "openmp"):
            for one in plot.series:
                self.assertEqual(styles.setdefault(one.name, one.style), one.style)
        self.assertEqual(len(set(styles.values())), 6)

    def test_a_roofline_has_the_stages_with_bytes_and_operations_under_the_ceilings(self):
        plot = plots_by_name(example())["paper-roofline-cpu-1"]
        points = series(plot, "span").points
        self.assertEqual([point.label for point in points], ["span: accumulate"])
        self.assertEqual([ceiling.label for ceiling in plot.ceilings], ["fma 2·10¹¹/s", "copy 12 GB/s"])
        for ceiling in plot.ceilings:
            self.assertLess(ceiling.ends[0][0], ceiling.ends[1][0])
        self.assertEqual(len(plot.notes), 1)
        self.assertIn("span zero", plot.notes[0])
        self.assertIn("% of copy", plot.notes[0])

    def test_errors_against_time_have_a_point_a_method(self):
        plot = plots_by_name(example())["paper-error-against-time-1"]
        # naive was skipped here, and a wrong result has no time.
        self.assertEqual([len(s.points) for s in plot.series], [1, 1, 1, 1])

    def test_the_experiment_about_stages_shows_every_case(self):
        stages = changed(lambda r: r.update(experiment="stages"))
        self.assertEqual(sum("roofline" in name for name in plots_by_name(stages)), 32)

    def test_Silvermans_h_belongs_together_although_it_changes_with_N(self):
        run = changed(lambda r: r.update(h=2.49118 * r["samples"] ** (-1 / 7)))
        self.assertTrue(is_silverman(loaded(run).results[0].case))
        plot = plots_by_name(run)["paper-time-against-N-m50-silverman-five-gaussians"]
        self.assertEqual(len(series(plot, "span").points), 4)
        self.assertIn("Silverman's h", plot.title)

    def test_times_against_h_have_a_point_a_bandwidth_even_where_a_case_was_measured_twice(self):
        run = example()
        one = [r for r in run["results"] if (r["samples"], r["cells"]) == (1000, 50)]
        run["results"] = one + [r | {"h": h} for h in (0.1, 0.3, 1) for r in one]
        plot = plots_by_name(run)["paper-time-against-h-n1000-m50-five-gaussians"]
        self.assertEqual([point.x for point in series(plot, "span").points], [0.1, 0.3, 1])

    def test_plots_of_the_cloud_measured_first_stand_last_in_their_section(self):
        run = example()
        run["results"] += [r | {"cloud": cloud} for cloud in ("uniform", "clump") for r in run["results"]]
        names = [p.name for p in plots_of(loaded(run), "openmp") if p.section == "Time against N"]
        self.assertEqual(names[0], "paper-time-against-N-m10-h1-clump")
        self.assertEqual(names[-1], "paper-time-against-N-m100-h1-five-gaussians")

    def test_errors_of_fits_stand_against_K_and_against_bytes(self):
        run = example()
        first, run["results"] = run["results"][0] | {"stages": []}, []
        for members, error in ((64, 0.02), (256, 0.007)):
            fit = first | {"experiment": "fit", "method": "fit", "updates": 0, "h": 0, "members": members,
                           "bytes": 40 * members, "relative_error": error}
            run["results"] += [fit, fit | {"method": "kmeans", "relative_error": 4 * error},
                               fit | {"method": "sklearn", "status": "skipped", "reason": "no scikit-learn",
                                      "relative_error": None, "bytes": None, "seconds": []}]
        plots = plots_by_name(run, "")
        self.assertEqual(sorted(plots), ["fit-error-against-K-five-gaussians", "fit-error-against-bytes-five-gaussians"])
        by_members, by_bytes = (series(plots[name], "fit").points for name in sorted(plots))
        self.assertEqual([point[:2] for point in by_members], [(64, 0.02), (256, 0.007)])
        self.assertEqual([point[:2] for point in by_bytes], [(2560, 0.02), (10240, 0.007)])
        for plot in plots.values():
            self.assertEqual([s.name for s in plot.series], ["fit", "kmeans"])
        self.assertEqual(case_text(loaded(run).results[0].case), "N = 100, M = 10, five-gaussians, K = 64")

    def test_no_file_leaves_its_folder(self):
        for name in plots_by_name(changed(lambda r: r.update(experiment="../a", cloud="b/c"))):
            self.assertNotIn("/", name)


class Results(unittest.TestCase):
    def test_methods_are_told_apart_by_kernel_and_precision_where_these_differ(self):
        run = example()
        run["results"][0]["kernel"], run["results"][1]["precision"] = "gaussian", "f64"
        self.assertEqual([r.name for r in loaded(run).results[:3]], ["naive (gaussian)", "openmp f64", "span"])

    def test_a_ratio_is_to_the_baseline_in_the_same_precision_where_there_is_one(self):
        run = example()
        run["results"].append(run["results"][1] | {"precision": "f64"})
        rows = loaded(run).results
        self.assertIs(baseline_of(rows[2], rows, "openmp"), rows[1])
        rows[2].precision = "f64"
        self.assertIs(baseline_of(rows[2], rows, "openmp"), rows[-1])
        self.assertIsNone(baseline_of(rows[2], rows, "scipy"))

    def test_the_usual_baseline_is_the_first_of_three(self):
        self.assertEqual(usual_baseline(loaded(example()).results), "openmp")
        self.assertEqual(usual_baseline([]), "")

    def test_numbers_are_written_as_people_read_them(self):
        self.assertEqual([count_text(n) for n in (1000, 100000, 20000000, 123456)],
                         ["1000", "10⁵", "2·10⁷", "123,456"])
        self.assertEqual([rate_text(4.2e12, "B"), rate_text(12, ""), rate_text(999.6, "B")],
                         ["4.2 TB/s", "12 /s", "1 kB/s"])
        self.assertEqual([seconds_text(s) for s in (0, 2e-9, 1e-5, 0.9999, 65, 1234)],
                         ["0 ns", "2 ns", "10 µs", "1 s", "65 s", "1234 s"])
        self.assertEqual([number_text(v) for v in (0, 0.5, 100, 1e6, 2.5e-7)], ["0", "0.5", "100", "10⁶", "2.5·10⁻⁷"])
        self.assertEqual([factor_text(v) for v in (0.1, 2.5, 1234)], ["×0.1", "×2.5", "×1234"])
        run = example()
        run["results"][-1]["weighted"] = True
        self.assertEqual(case_text(loaded(run).results[-1].case), "N = 10⁵, M = 100, h = 1, five-gaussians, weighted")
        run["results"][-1]["widths"] = "splats"
        self.assertEqual(case_text(loaded(run).results[-1].case),
                         "N = 10⁵, M = 100, h = 1, five-gaussians, weighted, splats")


if __name__ == "__main__":
    unittest.main()
