"""Makes the page of `skde-bench report`, and the files of its plots.

usage: report_page.py RESULTS.json FOLDER BASELINE yes|no
Writes FOLDER/report.html, whose plots follow the reader's light or dark colours. With `yes`, also writes every plot to
FOLDER/plots as NAME.svg, NAME.png, NAME-dark.svg and NAME-dark.png. Prints {"plots": how many}.
"""

import io
import json
import re
import sys
from pathlib import Path

import jinja2
from markupsafe import Markup

import report_data
from report_drawing import DARK, LIGHT, Drawing
from report_plots import plots_of

ON_PAGE, IN_FILE = (480, 390), (800, 500)  # points
STATUSES = ("ok", "inexact", "skipped", "failed", "wrong")
PIXELS = 144  # per inch of a PNG
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def variables(theme):
    """Returns the names of CSS variables by the theme's colours."""
    return dict(zip([*theme[:-1], *theme.methods],
                    [*theme._fields[:-1], *(f"method-{k}" for k in range(len(theme.methods)))]))


def inline_svg(plot, number, glyphs):
    """Returns the plot as an <svg> element with CSS colours. Its number makes its ids unique; outlines of letters go to
    `glyphs`, because all plots share them."""
    out = io.StringIO()
    Drawing(plot, LIGHT, *ON_PAGE, captions=False).figure.savefig(out, format="svg", metadata=NO_METADATA)
    box, svg = re.search(r'viewBox="([^"]*)".*?>(.*)</svg>', out.getvalue(), re.DOTALL).groups()
    outline = r'<path id="(DejaVu[^"]*)".*?/>'
    glyphs |= {found[1]: found[0] for found in re.finditer(outline, svg, re.DOTALL)}
    svg = re.sub(outline + "|<style.*?</style>|<!--.*?-->|xlink:|(?<=\n) +", "", svg, flags=re.DOTALL)
    svg = re.sub(r'( id="|href="#|url\(#)(?!DejaVu)', rf"\g<1>p{number}-", re.sub(r"(\.\d\d)\d+", r"\1", svg))
    for color, name in variables(LIGHT).items():
        svg = svg.replace(color, f"var(--{name})")
    return Markup(f'<svg role="img" aria-label="{Markup.escape(plot.title)}" viewBox="{box}">{svg}</svg>')


def page_of(run, baseline, plots):
    sections, experiments, glyphs = {}, {}, {}
    for number, plot in enumerate(plots):
        sections.setdefault(plot.section, []).append((plot, inline_svg(plot, number, glyphs)))
    statuses = [r.status for r in run.results]
    for r in run.results:
        experiments.setdefault(r.experiment, {}).setdefault(r.case, []).append(r)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
                                     lstrip_blocks=True, loader=jinja2.FileSystemLoader(Path(__file__).parent))
    environment.tests["unsteady"] = report_data.is_unsteady
    return environment.get_template("report_page.html").render(
        run=run, baseline=baseline, sections=sections, experiments=experiments, glyphs=Markup("".join(glyphs.values())),
        light=variables(LIGHT), dark=variables(DARK), **vars(report_data),
        counts=", ".join(f"{statuses.count(s)} {s}" for s in STATUSES if s in statuses) or "none",
        overheads=[(o.method, report_data.seconds_text(o.seconds)) for o in run.overheads],
        ceilings=[(c.device, c.name, report_data.rate_text(c.per_second, "B" if c.unit == "B" else "op"))
                  for c in run.ceilings])


def main():
    results, folder, baseline, wants_files = sys.argv[1:]
    run = report_data.load(results)
    baseline = baseline or report_data.usual_baseline(run.results)
    plots = plots_of(run, baseline)
    Path(folder, "report.html").write_text(page_of(run, baseline, plots), encoding="utf-8")
    Path(folder, "plots").mkdir()
    for plot in plots if wants_files == "yes" else []:
        for theme, name in ((LIGHT, plot.name), (DARK, plot.name + "-dark")):
            figure = Drawing(plot, theme, *IN_FILE, captions=True).figure
            figure.savefig(f"{folder}/plots/{name}.svg", metadata=NO_METADATA)
            figure.savefig(f"{folder}/plots/{name}.png", dpi=PIXELS)
    print(json.dumps({"plots": len(plots)}))


if __name__ == "__main__":
    main()
