"""Compares the rows that --where keeps with Python's own expressions, whose precedence is the same: where_tests.py SKDE."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone

try:
    import numpy
except ImportError:
    print("SKIPPED: numpy is not installed")
    sys.exit(0)

SKDE = sys.argv[1]
ROWS, CONDITIONS = 40, 150
NUMBERS = [-2.5, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 7, math.nan]
WORDS = ["", "noise", "quake", "it's", "2020-01-31", "Zürich"]
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def moment(choose):
    """A date as it may be written, and its seconds from 1970."""
    zone = timezone(timedelta(minutes=choose.choice([0, 0, 90, -330])))
    time = datetime(choose.choice([1969, 2000, 2020, 2024]), choose.choice([1, 2, 3]), choose.choice([1, 28]),
                    choose.choice([0, 23]), choose.choice([0, 59]), choose.choice([0, 30]), 0, zone)
    form = choose.choice(["day", "minute", "second", "zone"])
    if form == "zone" or zone.utcoffset(None):
        text = time.isoformat(choose.choice("T "))
    else:
        text = time.strftime({"day": "%Y-%m-%d", "minute": "%Y-%m-%dT%H:%M", "second": "%Y-%m-%d %H:%M:%S"}[form])
        time = datetime.fromisoformat(text).replace(tzinfo=timezone.utc)
    return text, (time - EPOCH).total_seconds()


def value(choose, depth):
    """A value, as a condition has it and as Python has it."""
    kind = choose.randrange(4 if depth == 0 else 8)
    if kind == 0:
        number = abs(choose.choice(NUMBERS[:-1]))
        return f"{number:g}", f"F({number!r})"
    if kind < 4:
        name = choose.choice(["a", "b", "c"])
        return choose.choice([name, name, f"`{name}`"]), name
    one, two = value(choose, depth - 1), value(choose, depth - 1)
    if kind == 4:
        sign = choose.choice("-+")
        return f"{sign}({one[0]})", f"{sign}({one[1]})"
    sign, gap = choose.choice("+-*/"), choose.choice(["", " "])
    chain = tuple(f"{x}{gap}{sign}{gap}{y}" for x, y in zip(one, two))
    return tuple(f"({text})" for text in chain) if choose.randrange(2) else chain


def comparison(choose):
    sign = choose.choice(["==", "!=", "<", "<=", ">", ">="])
    kind = choose.randrange(6)
    if kind == 0:
        word = choose.choice(WORDS)
        return (f"kind {sign} '{word.replace(chr(39), chr(39) * 2)}'", f"kind {sign} {word.encode()!r}")
    if kind == 1:
        text, seconds = moment(choose)
        return choose.choice([(f"time {sign} {text}", f"time {sign} {seconds}"),
                              (f"{text} {sign} `time`", f"{seconds} {sign} time"),
                              (f"time - {text} {sign} 86400*2", f"time - {seconds} {sign} 86400 * 2")])
    if kind == 2:
        verb = choose.choice(["in", "not in"])
        if choose.randrange(2):
            words = choose.sample([word for word in WORDS if "'" not in word], 2)
            return (f"kind {verb} {tuple(words)}", f"kind {verb} {tuple(word.encode() for word in words)}")
        one, numbers = value(choose, 1), [choose.choice(NUMBERS[:-1]) for _ in range(choose.randrange(1, 4))]
        listed = ", ".join(f"{number:g}" for number in numbers)
        one = one if set("abc") & set(one[1]) else ("b", "b")
        return f"{one[0]} {verb} ({listed})", f"({one[1]}) {verb} ({listed},)"
    one, two = value(choose, 2), value(choose, 1)
    two = two if set("abc") & set(one[1]) else ("a", "a")
    return tuple(f"{x} {sign} {y}" for x, y in zip(one, two))


def condition(choose, depth):
    kind = choose.randrange(4) if depth else 3
    if kind == 3:
        return comparison(choose)
    one, two = condition(choose, depth - 1), condition(choose, depth - 1)
    if kind == 2:
        return choose.choice(["not ", "!"]) + f"({one[0]})", f"not ({one[1]})"
    word = ("and", "or")[kind]
    joined = (f"{one[0]} {choose.choice([word, ('&&', '||')[kind]])} {two[0]}", f"{one[1]} {word} {two[1]}")
    return tuple(f"({text})" for text in joined) if choose.randrange(2) else joined


def kept(path, where):
    """Row i has the weight 2^i: the sum of weights says which rows are kept."""
    done = subprocess.run([SKDE, "info", path, "--weights", "w", "--where", where, "--json"], capture_output=True,
                          text=True)
    assert done.returncode == 0, f"{where}\n{done.stderr}"
    total = int(json.loads(done.stdout)["total_weight"])
    return [i for i in range(ROWS) if total >> i & 1]


def main():
    choose = random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        path, rows = os.path.join(folder, "rows.csv"), []
        with open(path, "w", encoding="utf-8") as file:
            file.write("x,y,z,w,a,b,c,kind,time\n")
            for i in range(ROWS + 2):
                a, b, c = (choose.choice(NUMBERS) for _ in range(3))
                word, (date, seconds) = choose.choice(WORDS), moment(choose)
                if i % 9 == 0:
                    date, seconds = ("", math.nan) if i % 2 else (repr(seconds), seconds)
                file.write(f'{i},{i * i % 7},{i % 5},{2 ** i},{a},{b},{c},{word},{date}\n')
                rows.append({name: numpy.float64(number) for name, number in
                             {"a": a, "b": b, "c": c, "time": seconds}.items()} | {"kind": word.encode()})
        for _ in range(CONDITIONS):
            text, python = condition(choose, choose.randrange(4))
            with numpy.errstate(all="ignore"):
                expected = [i for i in range(ROWS) if eval(python, {"F": numpy.float64}, rows[i])]
            assert kept(path, f"({text}) or x >= {ROWS}") == expected, f"{text}\n{python}"
    print(f"{CONDITIONS} conditions keep the rows that Python's expressions keep")


main()
