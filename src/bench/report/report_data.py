"""Reads a file of results, derives figures from it, and formats numbers for people."""

import json
import math
from collections import namedtuple
from types import SimpleNamespace

import numpy

GAUSSIAN = "gaussian"  # the kernel of peers that compute another density than the engines
SILVERMAN = (56 * (2 * math.sqrt(math.pi)) ** 3 / (4 * math.pi / 3)) ** (1 / 7)  # of the Epanechnikov kernel
MAY_LACK = {"error": None, "tolerance": None, "bytes": None, "operations": None, "ceiling": "", "widths": "",
            "members": None, "relative_error": None, "psnr": None, "steps": None}  # fields that not every object has
UNSTEADY = 0.5  # a spread above which a time is marked
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Case = namedtuple("Case", "experiment cloud weighted widths samples cells h members")  # what rows of one case share
Times = namedtuple("Times", "fastest lower median upper")  # of the repetitions, with quartiles


def load(path):
    """Reads the run of a file. Adds to each result its `case`, its `times` (None without any), and the `name` of its
    method: with precision if the method occurs with several, and with a kernel that most methods do not have. Results
    of methods that are missing here are removed; `missing` has the names of these by reason."""
    with open(path, encoding="utf-8") as file:
        run = json.load(file, object_hook=lambda fields: SimpleNamespace(**MAY_LACK | fields))
    methods, precisions = {}, {}
    for r in run.results:
        methods.setdefault(r.kernel, set()).add(r.method)
        precisions.setdefault(r.method, set()).add(r.precision)
    usual_kernel = max(sorted(methods), key=lambda kernel: len(methods[kernel]), default="")
    for r in run.results:
        r.case = Case(r.experiment, r.cloud, r.weighted, r.widths, r.samples, r.cells, r.h, r.members or 0)
        r.times = Times(*numpy.quantile(r.seconds, [0, 0.25, 0.5, 0.75])) if r.seconds else None
        r.name = r.method + (f" {r.precision}" if len(precisions[r.method]) > 1 else "")
        r.name += f" within {r.tolerance:g}" if r.tolerance else ""
        r.name += f" ({r.kernel})" if r.kernel not in ("", usual_kernel) else ""
    run.missing = missing_of(run.results)
    names = {name for group in run.missing.values() for name in group}
    run.results = [r for r in run.results if r.name not in names]
    return run


def missing_of(results):
    """Returns, by reason, the names of the methods that were skipped in every case for the same reason."""
    found, names = {}, {}
    for r in results:
        found.setdefault(r.name, set()).add(r.reason if r.status == "skipped" and r.reason else None)
    for name, reasons in found.items():
        if len(reasons) == 1 and None not in reasons and sum(r.name == name for r in results) > 1:
            names.setdefault(*reasons, []).append(name)
    return names


def usual_baseline(results):
    """Returns the default baseline: the first of three preferred methods that was measured, or else any measured one."""
    measured = dict.fromkeys(r.method for r in results if r.status == "ok" and r.updates > 0)
    return next((m for m in ("openmp", "cuda-chop-crop", "naive", *measured) if m in measured), "")


def baseline_of(result, rows, baseline):
    """Returns the baseline's result on the same case, preferably in the same precision, or None if not measured."""
    found = [r for r in rows if r.method == baseline and r.status == "ok" and r.case == result.case]
    return next((r for r in found if r.precision == result.precision), found[0] if found else None)


def time_ratio(before, after):
    """Returns how many times as long `after` takes: by the fastest runs, and lower and upper bounds by the quartiles."""
    return after.fastest / before.fastest, after.fastest / before.upper, after.upper / before.fastest


def spread(times):
    """Returns how far the upper quartile lies above the fastest run, as a share of the fastest."""
    return times.upper / times.fastest - 1


def is_unsteady(r):
    return r.times is not None and spread(r.times) > UNSTEADY


def headlines(run, baseline):
    """Returns one sentence per device: its engine on the largest case with a measured baseline, the speed-up over the
    baseline, and the error. The engine is the one that skde chooses, or else the fastest."""
    sentences = []
    for device, machine in (("cpu", run.machine.cpu), ("cuda", run.machine.gpu)):
        found = [r for r in run.results if r.device == device and r.status == "ok" and r.updates and r.error is not None
                 and r.method != baseline]
        compared = [r for r in found if baseline_of(r, run.results, baseline)] or found
        if not compared:
            continue
        most = max(r.updates for r in compared)
        best = min((r for r in compared if r.updates == most), key=lambda r: (not r.automatic, r.times.fastest))
        base = baseline_of(best, run.results, baseline)
        ratio = f"{time_ratio(best.times, base.times)[0]:.3g} times as fast as {baseline}, " if base else ""
        sentences.append(f"{best.name} on {machine}: {seconds_text(best.times.fastest)}, {ratio}"
                         f"within {number_text(float(f'{best.error:.1e}'))} of the peak ({case_text(best.case)})")
    return sentences


def ceiling_of(run, device, name):
    return next((c.per_second for c in run.ceilings if c.device == device and c.name == name), None)


def is_silverman(case):
    return case.samples > 0 and abs(case.h / (SILVERMAN * case.samples ** (-1 / 7)) - 1) < 1e-4


def case_text(case):
    """N = 10⁵, M = 100, h = 1, five-gaussians, K = 64: omits what is 0; h < 0 means Silverman's h for every N."""
    h = "Silverman's h" if case.h < 0 else case.h and f"h = {case.h:.4g}"
    parts = (case.samples and f"N = {count_text(case.samples)}", case.cells and f"M = {case.cells}", h, case.cloud,
             case.weighted and "weighted", case.widths, case.members and f"K = {count_text(int(case.members))}")
    return ", ".join(filter(None, parts))


def count_text(count):
    """10⁵, 250,000, 1000: the shortest exact form."""
    is_round = len(str(count).rstrip("0")) == 1
    return str(count) if count < 10000 else number_text(count) if is_round else f"{count:,}"


def number_text(value):
    """0.5, 10⁵, 2.5·10⁻⁷."""
    if value == 0 or 0.000999 <= value < 9999.5:
        return f"{value:.4g}"
    power = math.floor(math.log10(value) + 1e-9)
    leading, ten = f"{value / 10.0**power:.3g}", "10" + str(power).translate(SUPERSCRIPTS)
    return ten if leading == "1" else f"{leading}·{ten}"


def factor_text(value):
    return f"×{value:.3g}" if 0.000999 <= value < 999.5 else "×" + number_text(value)


def seconds_text(seconds):
    unit, name = next((u for u in ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")) if seconds < 999.5 * u[0]), (1, "s"))
    return f"{seconds / unit:.3g} {name}" if seconds < 999.5 else f"{number_text(round(seconds))} s"


def rate_text(per_second, unit):
    """4.2 TB/s, or 4.2 T/s without a unit."""
    power = max(0, min(5, math.floor(math.log10(per_second * 1.0005) / 3))) if per_second else 0
    return f"{per_second / 1000**power:.3g} {' kMGTP'[power].strip()}{unit}/s"


def rates(amount, seconds, ceiling, unit):
    """Returns a rate and its share of the ceiling as texts, empty if unknown."""
    rate = amount / seconds if amount and seconds else 0
    percent = 100 * rate / ceiling if ceiling else 0
    return [rate and rate_text(rate, unit) or "", percent and f"{percent:.{'2g' if percent < 9.95 else '0f'}} %" or ""]
