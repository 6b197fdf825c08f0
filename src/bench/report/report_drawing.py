"""Draws plots by matplotlib, with the names of lines and points in a column to the right, level with them."""

import math
import textwrap
from collections import namedtuple

from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import Affine2D

# Colours that people with any colour blindness tell apart (Okabe and Ito, and a brown and a violet), darker on white
# and lighter on black. With 9 colours and 8 markers, 72 methods look different.
Theme = namedtuple("Theme", "paper ink muted line soft methods")
LIGHT = Theme("#ffffff", "#1c1e21", "#5c6269", "#cdd1d6", "#e9ebee", (
    "#0072b2", "#d55e00", "#008c66", "#be5a96", "#323438", "#c48400", "#409ed6", "#80502c", "#704cbe"))
DARK = Theme("#181a1e", "#ebedf0", "#a0a7af", "#44494f", "#2a2e33", (
    "#4ca8e8", "#f08030", "#20b88c", "#dc8cbe", "#e2e4e8", "#e8b828", "#96d2f5", "#c69870", "#ac94fa"))
MARKERS = ("o", "s", "^", "D", "ring", "v", "X", "P")
# Lengths are in points, 1/72 inch: of letters, of a line of text, and of the outer margin.
LETTERS, LINE, EDGE = 12.5, 16, 10

rcParams.update({"font.family": "DejaVu Sans", "font.size": LETTERS, "svg.fonttype": "path", "svg.hashsalt": "skde"})


def look_of(style, theme):
    color, marker = theme.methods[style % len(theme.methods)], MARKERS[style % len(MARKERS)]
    if marker == "ring":
        return {"color": color, "marker": "o", "ms": 7.5, "mfc": theme.paper, "mec": color, "mew": 2}
    size = 10.5 if marker in "XP" else 9
    return {"color": color, "marker": marker, "ms": size, "mfc": color, "mec": theme.paper, "mew": 0.8}


def width_of(texts):
    return max((TextPath((0, 0), text, size=LETTERS).get_extents().width for text in texts), default=0)


def log_range(values):
    """Returns a range a little beyond the values, of at least a factor of 4: with less, noise would look like a trend."""
    low, high = min(values, default=1), max(values, default=10)
    decades = math.log10(high / low)
    margin = 10 ** (max(0, 0.6 - decades) / 2 + 0.04 * max(decades, 0.6))
    return low / margin, high * margin


def log_ticks(low, high, most):
    """Returns at least two ticks: decades, for few decades also 2 and 5 or 3 times them; within a decade, round numbers."""
    decades = math.log10(high / low)
    for digits in ((1, 2, 5), (1, 3), (1,)) if decades < 3 else ((1,),):
        ticks = [t for t in LogLocator(subs=digits, numticks=most).tick_values(low, high) if low <= t <= high]
        if 2 <= len(ticks) <= most:
            return ticks
    return [t for t in MaxNLocator(max(most, 4), steps=[1, 2, 5, 10]).tick_values(low, high) if low <= t <= high]


def push_apart(wanted, low, high):
    """Returns heights of labels, nearest to the wanted ones by least squares, in their order, LINE apart and within
    low..high. Labels that do not fit run over the upper end."""
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    clusters = []  # labels that touch: [sum of the heights they want for the lowest, their number]
    for place, k in enumerate(order):
        clusters.append([wanted[k] - place * LINE, 1])
        while len(clusters) > 1 and clusters[-1][0] / clusters[-1][1] < clusters[-2][0] / clusters[-2][1]:
            clusters[-2:] = [[a + b for a, b in zip(*clusters[-2:])]]
    lowest = [total / count for total, count in clusters for _ in range(count)]
    last = high - (len(order) - 1) * LINE
    return [max(low, min(lowest[place], last)) + place * LINE for place in map(order.index, range(len(wanted)))]


class Drawing:
    """A plot on a figure `width` points wide and at least `height` high, with title and notes if `captions`."""

    def __init__(self, plot, theme, width, height, captions):
        self.plot, self.theme = plot, theme
        shown = [s._replace(points=[p for p in s.points if p.x > 0 and p.y > 0]) for s in plot.series]
        self.series = [s for s in shown if s.points]
        # The names at the right: text, place, style (None for ceilings).
        self.names = [(c.label, c.ends[1], None) for c in plot.ceilings if not c.along]
        self.names += [(p.label or s.name, p[:2], s.style) for s in self.series
                       for p in (s.points[-1:] if s.joined else s.points)]
        self.lay_out(width, height, captions)
        self.draw_axes()
        self.draw_lines()
        self.draw_names()

    def lay_out(self, width, height, captions):
        """Creates the figure, high enough for the names, with its captions and the axes."""
        plot, theme, letters = self.plot, self.theme, int(width / 7.4)
        head = textwrap.wrap(plot.title, int(width / 10)) if captions else []
        lead = textwrap.wrap(plot.subtitle, letters) if captions else []
        notes = textwrap.wrap("\n".join(plot.notes), letters, max_lines=3, placeholder=" …") if captions else []
        ends = [end for ceiling in plot.ceilings for end in ceiling.ends]
        points = [p for s in self.series for p in s.points]
        xlim = log_range([x for x, *_ in points + ends])
        ylim = log_range([y for _, *ys, _ in points for y in ys if y] + [y for _, y in ends])
        top, bottom = EDGE + 20 * len(head) + LINE * len(lead) + 28, EDGE + 38 + LINE * len(notes) + 6 * bool(notes)
        tall = max(height - top - bottom, LINE * (len(self.names) + 1))
        self.y_ticks, height = log_ticks(*ylim, int(tall / 34)), top + tall + bottom
        left = EDGE + 8 + width_of(plot.y.text(tick) for tick in self.y_ticks)
        self.right = width - EDGE - 36 - width_of(name for name, _, _ in self.names)
        self.wide, self.bottom, self.top = self.right - left, bottom, bottom + tall
        self.figure = Figure((width / 72, height / 72), facecolor=theme.paper)
        self.points = Affine2D().scale(1 / 72) + self.figure.dpi_scale_trans
        self.axes = self.figure.add_axes((left / width, bottom / height, self.wide / width, tall / height),
                                         facecolor="none", xscale="log", yscale="log", xlim=xlim, ylim=ylim,
                                         autoscale_on=False, axisbelow=True)
        for lines, y, look in ((head, height - EDGE, {"size": 16, "weight": "bold", "color": theme.ink}),
                               (lead, height - EDGE - 20 * len(head), {"color": theme.muted}),
                               (notes, EDGE + LINE * len(notes), {"color": theme.muted})):
            self.figure.text(EDGE, y, "\n".join(lines), transform=self.points, va="top", linespacing=1.1, **look)

    def draw_axes(self):
        axes, plot, theme = self.axes, self.plot, self.theme
        x_ticks = next(ticks for most in range(8, 1, -1) if most == 2 or self.wide > len(
            ticks := log_ticks(*axes.get_xlim(), most)) * (width_of(map(plot.x.text, ticks)) + 16))
        for axis, ticks, text in ((axes.xaxis, x_ticks, plot.x.text), (axes.yaxis, self.y_ticks, plot.y.text)):
            axis.set_ticks(ticks, [text(tick) for tick in ticks])
            axis.set_minor_locator(LogLocator(subs=range(1, 10), numticks=10))
            axis.set_minor_formatter(NullFormatter())
            axis.set_tick_params(which="both", length=0, pad=6, labelcolor=theme.muted)
            axis.grid(which="minor", color=theme.soft)
            axis.grid(which="major", color=theme.line)
        axes.set_title(plot.y.caption, loc="left", size=LETTERS, color=theme.ink, pad=10)
        axes.set_xlabel(plot.x.caption, color=theme.ink)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(theme.muted)

    def place(self, at):
        """Converts a place on the axes to one on the figure, in points."""
        return self.axes.transData.transform(at) * 72 / self.figure.dpi

    def draw_lines(self):
        for ceiling in self.plot.ceilings:
            self.axes.plot(*zip(*ceiling.ends), color=self.theme.muted, linewidth=1.3, dashes=(5, 3))
            if ceiling.along:  # its name over the middle of the line, parallel to it
                (x0, y0), (x1, y1) = map(self.place, ceiling.ends)
                slope = math.atan2(y1 - y0, x1 - x0)
                self.figure.text((x0 + x1) / 2 - 10 * math.sin(slope), (y0 + y1) / 2 + 10 * math.cos(slope),
                                 ceiling.label, transform=self.points, rotation=math.degrees(slope),
                                 rotation_mode="anchor", ha="center", va="center", color=self.theme.muted)
        for s in self.series:
            (x, y, low, high, _), look = zip(*s.points), look_of(s.style, self.theme)
            if s.joined:
                self.axes.fill_between(x, low, high, color=look["color"], alpha=0.2, linewidth=0)
                self.axes.vlines(x[:len(x) == 1], low[0], high[0], color=look["color"])
            self.axes.plot(x, y, linewidth=2 if s.joined else 0, zorder=3, clip_on=False, **look)

    def draw_names(self):
        """Draws the names, each with its marker and a dotted line to its line or point."""
        places, column = [self.place(at) for _, at, _ in self.names], self.right + 20
        heights = push_apart([y for _, y in places], self.bottom - 8, self.top + 8)
        for (name, _, style), (x, y), height in zip(self.names, places, heights):
            color, look = self.theme.muted, {}
            if style is not None:
                color, look = self.theme.ink, look_of(style, self.theme)
            draw = {"transform": self.points, "clip_on": False, "color": look.get("color", color)}
            self.axes.plot([x, self.right, column], [y, y, height], linewidth=1, linestyle=(0, (1.5, 2.5)), **draw)
            self.axes.plot(column, height, zorder=4, **look | draw)
            self.figure.text(column + 10, height, name, transform=self.points, va="center", color=color)
