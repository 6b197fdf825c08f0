"""Layout of plots: nothing overlaps, and every name is at its place."""

import io
import math
import unittest

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from example_results import example, loaded
from report_data import seconds_text
from report_drawing import DARK, LIGHT, LINE, Drawing, log_range, log_ticks, look_of, push_apart
from report_page import IN_FILE, ON_PAGE
from report_plots import Axis, Plot, Point, Series, plots_of


def crowded(count=10):
    """Returns methods with nearly the same times at the end."""
    series = [Series(f"method-{k}", k, [Point(x, 1e-6 * x, 0.9e-6 * x, 1.2e-6 * x) for x in (1e2, 1e3, 1e4)])
              for k in range(count)]
    return Plot("Time", "crowded", "Many methods, N = 123,456, M = 256, Silverman's h, five-gaussians, weighted",
                "fastest run", Axis("N (samples)"), Axis("time", seconds_text), series,
                ["Not drawn: " + "several words " * 60])


def texts_of(drawing):
    """Returns the horizontal texts with the boxes that they cover, in points."""
    renderer = FigureCanvasAgg(drawing.figure).get_renderer()
    drawing.figure.draw(renderer)
    found = [text for text in drawing.figure.findobj(Text)
             if text.get_visible() and text.get_text().strip() and text.get_rotation() == 0]
    return [(text.get_text(), text.get_window_extent(renderer).transformed(drawing.points.inverted())) for text in found]


class Drawings(unittest.TestCase):
    def check_no_overlap(self, plot, size, captions):
        drawing = Drawing(plot, LIGHT, *size, captions)
        width, height = 72 * drawing.figure.get_size_inches()
        self.assertGreater(drawing.wide, 0.35 * width)
        texts = texts_of(drawing)
        self.assertGreater(len(texts), 6)
        for k, (text, box) in enumerate(texts):
            with self.subTest(plot=plot.name, size=size, text=text):
                self.assertGreaterEqual(min(box.x0, box.y0), 0)
                self.assertLessEqual(box.x1, width)
                self.assertLessEqual(box.y1, height)
                for other, beside in texts[:k]:
                    apart = box.x0 >= beside.x1 or beside.x0 >= box.x1 or box.y0 >= beside.y1 or beside.y0 >= box.y1
                    self.assertTrue(apart, f"overlaps {other!r}")

    def test_no_two_texts_overlap(self):
        for size, captions in ((ON_PAGE, False), (IN_FILE, True)):
            self.check_no_overlap(crowded(), size, captions)
        for plot in plots_of(loaded(example()), "openmp")[::6]:
            self.check_no_overlap(plot, ON_PAGE, False)

    def test_notes_that_are_cut_end_in_an_ellipsis(self):
        texts = [text for text, _ in texts_of(Drawing(crowded(), LIGHT, *IN_FILE, True))]
        self.assertEqual(sum(text.endswith("…") for text in texts), 1)
        self.assertIn("Many methods", texts[0] + "".join(texts))

    def test_a_figure_grows_where_its_names_need_more_height(self):
        few, many = (Drawing(crowded(count), LIGHT, *ON_PAGE, False).figure for count in (10, 40))
        self.assertAlmostEqual(72 * few.get_figheight(), ON_PAGE[1])
        self.assertGreater(72 * many.get_figheight(), 40 * LINE)
        self.check_no_overlap(crowded(40), ON_PAGE, False)

    def test_each_name_is_at_the_height_of_its_line(self):
        drawing = Drawing(crowded(1), LIGHT, *ON_PAGE, False)
        box = dict(texts_of(drawing))["method-0"]
        self.assertAlmostEqual((box.y0 + box.y1) / 2, drawing.place((1e4, 1e-2))[1], delta=3)
        self.assertGreater(box.x0, drawing.right)

    def test_letters_are_large_enough_where_they_are_shown(self):
        # A card of the page is at least 30rem wide, with half a rem of padding: 464 pixels for 480 points.
        for text in Drawing(crowded(), LIGHT, *ON_PAGE, False).figure.findobj(Text):
            if text.get_text().strip():
                self.assertGreaterEqual(text.get_size() * 464 / ON_PAGE[0], 12)  # pixels, for 9 points

    def test_points_that_a_logarithmic_axis_cannot_show_are_left_out(self):
        plot = crowded(1)
        plot.series[0].points.append(Point(1e5, 0, 0, 0))
        self.assertEqual([p.x for p in Drawing(plot, LIGHT, *ON_PAGE, False).series[0].points], [1e2, 1e3, 1e4])
        empty = plot._replace(series=[])
        self.assertGreater(len(texts_of(Drawing(empty, LIGHT, *ON_PAGE, False))), 2)

    def test_colours_and_markers_tell_methods_apart(self):
        for theme in (LIGHT, DARK):
            looks = [tuple(sorted(look_of(style, theme).items())) for style in range(72)]
            self.assertEqual(len(set(looks)), 72)

    def test_files_have_the_size_that_is_asked_for(self):
        out = io.BytesIO()
        Drawing(crowded(), DARK, *IN_FILE, True).figure.savefig(out, format="png", dpi=144)
        png = out.getvalue()
        self.assertEqual([int.from_bytes(png[at:at + 4], "big") for at in (16, 20)], [2 * side for side in IN_FILE])


class Scales(unittest.TestCase):
    def test_ticks_are_powers_of_ten_and_round_numbers_between_few(self):
        self.assertEqual(log_ticks(90, 1.1e5, 8), [100, 1000, 1e4, 1e5])
        powers = [round(math.log10(tick)) for tick in log_ticks(1e-9, 1e9, 10)]
        self.assertEqual({b - a for a, b in zip(powers, powers[1:])}, {2})
        self.assertEqual(log_ticks(1, 50, 8), [1, 2, 5, 10, 20, 50])
        self.assertEqual(log_ticks(1, 50, 4), [1, 3, 10, 30])

    def test_there_are_always_two_ticks_in_the_range(self):
        for low in (0.9, 1.1, 3.1, 7.3e-6):
            for factor in (4, 5, 12, 99, 1e4, 1e15):
                for most in (2, 3, 5, 8):
                    ticks = log_ticks(low, factor * low, most)
                    self.assertGreaterEqual(len(ticks), 2, (low, factor, most))
                    self.assertTrue(low <= ticks[0] < ticks[-1] <= factor * low)

    def test_a_range_holds_its_values_and_hides_noise(self):
        low, high = log_range([10, 10.1])
        self.assertTrue(low < 10 and high > 10.1)
        self.assertGreater(high / low, 4)
        self.assertEqual(len(log_range([])), 2)

    def test_names_are_pushed_apart_in_their_order(self):
        heights = push_apart([50, 52, 51, 200], 0, 300)
        self.assertEqual(sorted(range(4), key=lambda k: heights[k]), [0, 2, 1, 3])
        self.assertTrue(all(b - a >= LINE - 1e-9 for a, b in zip(sorted(heights), sorted(heights)[1:])))
        self.assertAlmostEqual(sum(heights[:3]) / 3, 51)  # nearest by least squares
        self.assertEqual(heights[3], 200)

    def test_names_stay_in_the_column_as_far_as_they_fit(self):
        self.assertEqual(push_apart([-50, 500], 0, 100), [0, 100])
        self.assertEqual(push_apart([10] * 4, 0, LINE), [0, LINE, 2 * LINE, 3 * LINE])


if __name__ == "__main__":
    unittest.main()
