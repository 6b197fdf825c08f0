"""A progress bar for terminals and notebooks."""

import sys
import time


class Bar:
    """Shows the stage of a computation, its share and the time left on one line of standard error."""

    def __init__(self):
        self._begin = time.monotonic()
        self._stage = None
        self._shown = False

    def __call__(self, stage, done, total, unit):
        if stage != self._stage:
            self._stage, self._begin = stage, time.monotonic()
        text = f"{stage}: {done:,} {unit}".rstrip()
        if total:
            share = min(1.0, done / total)
            left = (time.monotonic() - self._begin) * (1 - share) / share if share > 0.01 else None
            text = f"{stage} [{'=' * int(24 * share):24}] {share:4.0%}"
            if left is not None and left > 1:
                text += f", {left:.0f} s left"
        self._shown = True
        print("\r" + text[:100].ljust(100), end="", file=sys.stderr, flush=True)

    def close(self):
        """Clears the line."""
        if self._shown:
            print("\r" + " " * 100 + "\r", end="", file=sys.stderr, flush=True)


class shown:
    """The function that a computation reports to: `progress` is False, True or a function
    `f(stage, done, total, unit)`, which may raise to stop the computation."""

    def __init__(self, progress):
        self._bar = Bar() if progress is True else None
        self._show = self._bar if self._bar else (progress or None)

    def __enter__(self):
        return self._show

    def __exit__(self, *_):
        if self._bar:
            self._bar.close()
