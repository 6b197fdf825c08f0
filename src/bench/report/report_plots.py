"""Selects the plots of the results: sweeps, the roofline of the stages, error against time, errors of fits."""

import re
from collections import namedtuple

from report_data import (baseline_of, case_text, ceiling_of, count_text, factor_text, is_silverman, number_text,
                         rate_text, seconds_text, time_ratio)

# `name` is that of its files; an axis has a caption and the format of its ticks; the notes list what is not drawn.
Plot = namedtuple("Plot", "section name title subtitle x y series notes ceilings", defaults=([],))
Axis = namedtuple("Axis", "caption text", defaults=(number_text,))
# Points of a method, joined by a line or each with a label. Its style is a number: it looks the same on every plot.
Series = namedtuple("Series", "name style points joined", defaults=(True,))
Point = namedtuple("Point", "x y low high label", defaults=(None, None, ""))  # low..high: the interval of y
# A line that was not measured in the series; its label stands `along` it, or at its end.
Ceiling = namedtuple("Ceiling", "label ends along", defaults=(False,))
# A quantity on the y axis of plots over N, M or h. `remark` explains line and shade; of(result, rows) returns (y, low,
# high), or None.
Quantity = namedtuple("Quantity", "section name axis remark of")

SWEEPS = {"N": ("samples", "N (samples)"), "M": ("cells", "M (cells a side)"), "h": ("h", "h (of H = h² S)")}


def quantities(baseline):
    def rate(amount, times):
        return (amount / times.fastest, amount / times.upper, amount / times.fastest) if amount else None

    def speed_up(r, rows):
        base = baseline_of(r, rows, baseline)
        return base and ((1, 1, 1) if base is r else time_ratio(r.times, base.times))

    shade = "fastest run; shaded down to the upper quartile of the time"
    yield Quantity("Time", "time", Axis("time", seconds_text), "fastest run; shaded up to the upper quartile",
                   lambda r, rows: (r.times.fastest, r.times.fastest, r.times.upper))
    yield Quantity("Updates a second", "updates", Axis("updates a second (cells inside the kernels / s)"), shade,
                   lambda r, rows: rate(r.updates, r.times))
    # For fixed M and h, samples are updates in another unit, so they are drawn only if there are no updates.
    yield Quantity("Samples a second", "samples", Axis("samples a second (samples / s)"), shade,
                   lambda r, rows: None if any(one.updates for one in rows) else rate(r.samples, r.times))
    if baseline:
        yield Quantity(f"Speed-up over {baseline}", "speed-up", Axis(f"times as fast as {baseline}", factor_text),
                       "ratio of the fastest runs; shaded by the upper quartiles of both", speed_up)


def sweep_groups(results, field):
    """Groups results that differ only in a field by their common case, whose h is -1 for Silverman's h at every N. Keeps
    groups with times at two values. Those of the cloud measured first come last, where pages show them first."""
    groups, clouds = {}, list(dict.fromkeys((r.cloud, r.weighted, r.widths) for r in results))
    for r in results:
        case = r.case._replace(h=-1) if field == "samples" and is_silverman(r.case) else r.case
        groups.setdefault(case._replace(**{field: 0}), []).append(r)
    kept = [(key, rows) for key, rows in sorted(groups.items())
            if len({getattr(r, field) for r in rows if r.times and getattr(r, field) > 0}) >= 2]
    return sorted(kept, key=lambda group: -clouds.index((group[0].cloud, group[0].weighted, group[0].widths)))


def notes_of(rows, field, symbol):
    """Returns notes on the lines with other values than the density, and on rows without times, grouped by reason."""
    largest, reasons, drawn = {}, {}, {r.name for r in rows if r.times}
    for r in rows:
        if r.status == "inexact":
            largest[r.name] = max(r.error, largest.get(r.name, 0))
        if not r.times:
            value = count_text(r.samples) if field == "samples" else f"{getattr(r, field):.4g}"
            reasons.setdefault(f"{r.status}: {r.reason}", {}).setdefault(r.name, []).append(value)
    off = [f"{name}, off by up to {error:.2g} of the peak" for name, error in sorted(largest.items())]
    without = [", ".join(f"{name} at {symbol} = {', '.join(values)}" if name in drawn else name
                         for name, values in methods.items()) + f" ({reason})" for reason, methods in reasons.items()]
    # Warnings about drawn lines come first, because long notes are truncated.
    return [f"{title}: {'; '.join(texts)}" for title, texts in
            (("Other values than the density", off), ("Not drawn", without)) if texts]


def lines_of(rows, field, quantity, styles):
    """Returns one line per method, sorted by x; of several results at one x the first counts."""
    points = {}
    for r in rows:
        if y := r.times and quantity.of(r, rows):
            points.setdefault(r.name, {}).setdefault(getattr(r, field), Point(getattr(r, field), *y))
    return [Series(name, styles[name], sorted(points[name].values())) for name in styles if name in points]


def file_name(*parts):
    return re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(str(part) for part in parts if part))


def sweep_plots(run, baseline, styles):
    for quantity in quantities(baseline):
        for symbol, (field, caption) in SWEEPS.items():
            for key, rows in sweep_groups(run.results, field):
                series = lines_of(rows, field, quantity, styles)
                # A ratio to a missing method, or of the baseline to itself, shows nothing.
                if len(series) < (2 if quantity.name == "speed-up" else 1):
                    continue
                h = "silverman" if key.h < 0 else key.h and f"h{key.h:.4g}"
                name = file_name(key.experiment, quantity.name, "against", symbol, key.samples and f"n{key.samples}",
                                 key.cells and f"m{key.cells}", h, key.cloud, key.weighted and "weighted", key.widths)
                group = case_text(key._replace(h=-1) if is_silverman(key) else key)
                yield Plot(f"{quantity.section} against {symbol}", name, f"{quantity.section}, {group}", quantity.remark,
                           Axis(caption), quantity.axis, series, notes_of(rows, field, symbol))


def largest_cases(results, about=""):
    """Groups results by case, for "stages" also by device. Experiments other than `about` contribute only their case
    with the most updates."""
    cases, most = {}, {}
    for r in results:
        cases.setdefault((r.case, r.device if about == "stages" else ""), []).append(r)
    for (case, device), rows in cases.items():
        most[case.experiment, device] = max(rows[0].updates, most.get((case.experiment, device), 0))
    return [rows for (case, device), rows in sorted(cases.items())
            if case.experiment == about or rows[0].updates == most[case.experiment, device]]


def ceilings_of(run, device, low, high):
    """Yields the memory bandwidth as a slope up to the highest ceiling of operations, and those ceilings as levels."""
    copy = ceiling_of(run, device, "copy")
    levels = [c for c in run.ceilings if c.device == device and c.unit != "B"]
    top = max((c.per_second for c in levels), default=0)
    if copy and top:  # extends the plot until the slope reaches the highest level
        high = max(high, 1.5 * top / copy)
    for c in levels:
        start = min(max(low, c.per_second / copy) if copy else low, high / 2)
        yield Ceiling(f"{c.name} {number_text(c.per_second)}/s", ((start, c.per_second), (high, c.per_second)))
    if copy:
        end = max(top / copy if top else high, 2 * low)
        yield Ceiling(f"copy {rate_text(copy, 'B')}", ((low, low * copy), (end, end * copy)), along=True)


def roofline_plots(run, styles):
    """Yields a roofline for each case and device whose stages have known work."""
    roofs = {c.device for c in run.ceilings}  # a roofline needs ceilings
    known = [r for r in run.results if r.status == "ok" and r.device in roofs
             and any(s.bytes and s.operations for s in r.stages)]
    for number, rows in enumerate(largest_cases(known, "stages"), 1):
        series, copies, device = [], [], rows[0].device
        copy = ceiling_of(run, device, "copy")
        for r in rows:
            timed = [s for s in r.stages if s.bytes and s.seconds > 0]
            series.append(Series(r.name, styles[r.name], [
                Point(s.operations / s.bytes, s.operations / s.seconds, label=f"{r.name}: {s.stage}")
                for s in timed if s.operations], joined=False))
            copies += [f"{r.name} {s.stage} {rate_text(s.bytes / s.seconds, 'B')}"
                       + (f" ({100 * s.bytes / s.seconds / copy:.0f} % of copy)" if copy else "")
                       for s in timed if not s.operations]
        if xs := [point.x for one in series for point in one.points]:
            yield Plot("Roofline of the stages", file_name(rows[0].experiment, "roofline", device, number),
                       "Roofline of the stages, " + (run.machine.gpu if device == "cuda" else run.machine.cpu),
                       case_text(rows[0].case), Axis("operations a byte"), Axis("operations a second"), series,
                       ["No operations: " + "; ".join(copies)] if copies else [],
                       list(ceilings_of(run, device, min(0.1, min(xs) / 2), max(10, 2 * max(xs)))))


def error_plots(run, styles):
    """Yields a plot for each case, with one point per method, also for methods with other values than the density."""
    found = [r for r in run.results if r.error is not None and r.times and not r.members]
    for number, rows in enumerate(largest_cases(found), 1):
        exact = [f"{r.name} in {seconds_text(r.times.fastest)}" for r in rows if r.error == 0]
        series = [Series(r.name, styles[r.name], [Point(r.times.fastest, r.error, label=r.name)], joined=False)
                  for r in rows if r.error > 0]
        if series:
            yield Plot("Error against time", file_name(rows[0].experiment, "error-against-time", number),
                       f"Error against time, {case_text(rows[0].case)}",
                       "largest difference to the reference in double; fastest run", Axis("time", seconds_text),
                       Axis("error (share of the peak)"), series,
                       ["No difference at all: " + ", ".join(exact)] if exact else [])


def fit_plots(run, styles):
    """Yields the errors of fits and of what was measured beside them, against K and against bytes, for each density."""
    densities = {}
    for r in run.results:
        if r.experiment == "fit" and r.members:
            densities.setdefault(r.case._replace(members=0), []).append(r)
    quantity = Quantity("", "", None, "", lambda r, rows: (r.relative_error,) * 3 if r.relative_error else None)
    axes = (("K", "members", "K (members); volumes of as many bytes"), ("bytes", "bytes", "bytes"))
    for symbol, field, caption in axes:
        for case, rows in densities.items():
            if lines := lines_of(rows, field, quantity, styles):
                yield Plot(f"Error against {symbol}", file_name("fit-error-against", symbol, case.cloud),
                           f"Error against {symbol}, {case_text(case)}", "relative L2 error over all cells", Axis(caption),
                           Axis("relative error"), lines, notes_of(rows, "members", "K"))


def plots_of(run, baseline):
    """Returns all plots for which the results have values. Results without times are not drawn; the notes list them."""
    styles = {name: number for number, name in enumerate(dict.fromkeys(r.name for r in run.results))}
    return [*sweep_plots(run, baseline, styles), *roofline_plots(run, styles), *error_plots(run, styles),
            *fit_plots(run, styles)]
