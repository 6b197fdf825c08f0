"""A run of the paper's grid with made-up times: six methods on four N and four M. naive is skipped where it would take
long, and one result is wrong."""

import json
import tempfile
from pathlib import Path

import report_data

# Seconds of a launch, of an update, and of a pair of cell and sample.
METHODS = {"naive": ("cpu", 2e-6, 0, 1.1e-9), "openmp": ("cpu", 3e-5, 6.4e-9, 0), "span": ("cpu", 6e-5, 5.5e-10, 0),
           "cuda-naive": ("cuda", 2e-5, 0, 1.05e-12), "cuda-chop-crop": ("cuda", 3e-5, 4e-12, 0),
           "cuda-span": ("cuda", 7e-5, 9e-13, 0)}
MACHINE = {"cpu": "A CPU & Sons <2 GHz>", "cores": 2, "memory": 1.6e10, "gpu": "NVIDIA H200", "gpu_memory": 1.5e11,
           "driver": "580.10", "cuda": "12.8", "compiler": "g++ 12", "flags": "-O3", "version": "0.1.0",
           "commit": "abcdef0"}


def wobble(step):
    """Returns low-discrepancy steps through 0..1."""
    return step * 0.6180339887 % 1


def result_of(method, samples, cells, step):
    device, launch, update, cell_and_sample = METHODS[method]
    updates = samples * (0.16 * cells) ** 3
    seconds = launch + update * updates + cell_and_sample * samples * cells**3
    result = {"experiment": "paper", "method": method, "device": device, "cloud": "five-gaussians", "samples": samples,
              "cells": cells, "h": 1, "kernel": "epanechnikov", "precision": "f32", "weighted": False,
              "half_extents": [1, 1, 1], "updates": updates, "evaluated": 1.5 * updates, "status": "ok", "reason": "",
              "automatic": method == "span", "warmups": 1, "inputs": 3, "seconds": [], "stages": [], "policy": ""}
    if seconds > 60:
        return result | {"status": "skipped", "reason": f"would take {seconds:.0f} s, more than --max-seconds 60"}
    stages = [{"stage": "zero", "seconds": 0.2 * seconds, "bytes": 4 * cells**3},
              {"stage": "accumulate", "seconds": 0.8 * seconds, "bytes": 12 * samples + 0.1 * updates,
               "operations": 3 * updates, "ceiling": "fma"}]
    return result | {"seconds": [seconds * (1 + 0.25 * wobble(3 * step + k)) for k in range(3)], "stages": stages,
                     "error": 1e-7 * (1 + 30 * wobble(step))}


def example():
    """Returns the run as the object of its file."""
    cases = [(method, samples, cells) for samples in (100, 1000, 10000, 100000) for cells in (10, 25, 50, 100)
             for method in METHODS]
    results = [result_of(*case, step) for step, case in enumerate(cases, 1)]
    results[-1] |= {"status": "wrong", "reason": "differs by 0.21 of the peak", "seconds": [], "stages": [], "error": 0.21}
    ceilings = [("cpu", "copy", 1.2e10, "B"), ("cpu", "fma", 2e11, "operations"), ("cuda", "copy", 4.2e12, "B"),
                ("cuda", "fma", 3e13, "operations"), ("cuda", "coalesced atomics", 7.9e11, "operations")]
    return {"format": "skde-bench 1", "machine": MACHINE, "date": "2026-01-31T12:00:00Z",
            "command_line": "skde-bench paper --json run.json", "cancelled": False,
            "ceilings": [dict(zip(("device", "name", "per_second", "unit"), c)) for c in ceilings],
            "overheads": [{"method": "span", "seconds": 2e-5}, {"method": "cuda-span", "seconds": 7e-5}],
            "results": results}


def loaded(run):
    """Returns the run as the report reads it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.json")
        path.write_text(json.dumps(run))
        return report_data.load(path)
