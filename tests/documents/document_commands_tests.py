"""Runs every command of the documents, in a scratch folder for each page: document_commands_tests.py ROOT PROGRAMS.

Blocks that cannot run here state the reason (docs/README.md); their programs, flags and files are still checked.
"""

import concurrent.futures
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from markdown_pages import all_pages

ROOT, PROGRAMS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
REASONS = {"builds skde", "needs a GPU", "needs a window", "measures"}
MOST_NOT_RUN = 45  # blocks; find a way to run a new block rather than raise this
SECONDS = 120  # per page
OWN_PROGRAMS = {"skde", "skde-bench", "skde-view", "skde-mpi", "skde-serve"}
COMMAND_LINE = re.compile(r"^\s*(\$ )?(skde(-\w+)?|\./dev|mpirun|mpiexec|cmake|curl|python3) ")
ENDS = {"|", "||", "&", "&&", ";", ">", ">>", "<", "(", ")"}
ENVIRONMENT = dict(os.environ, PATH=f"{PROGRAMS}:{os.environ['PATH']}", LC_ALL="C.UTF-8", OMP_WAIT_POLICY="passive",
                   OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                   OMPI_MCA_hwloc_base_binding_policy="none",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="^tcp")


def missing_programs(block):
    return [name for name in block.marks.get("needs", "").split() if not shutil.which(name, path=ENVIRONMENT["PATH"])]


def script_of(blocks):
    lines = ["set -euo pipefail", "trap 'echo \"$place: failed: $BASH_COMMAND\" >&2' ERR"]
    for block in blocks:
        lines += [f"place='{block}'", block.text]
    return "\n".join(lines)


def squeezed(line):
    return " ".join(line.split())


def check_output(log, shown):
    """Yields the lines that a page shows as output but that no command printed."""
    printed = {squeezed(line) for line in log.splitlines()}
    for block in shown:
        yield from (f"{block}: no command of the page prints '{line.strip()}'" for line in block.lines
                    if squeezed(line) not in printed)


def run_page(path, blocks, shown):
    """Returns the problems of a page; empty if all commands succeeded and printed what the page shows."""
    with tempfile.TemporaryDirectory(prefix="document_") as folder:
        os.symlink(ROOT / "data", Path(folder, "data"))
        environment = dict(ENVIRONMENT, HOME=folder, TMPDIR=folder)
        with open(Path(folder, "log"), "w+", encoding="utf-8") as log:
            page = subprocess.Popen(["bash", "-c", script_of(blocks)], cwd=folder, env=environment, stdout=log, stderr=log,
                                    stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                code = page.wait(SECONDS)
            except subprocess.TimeoutExpired:
                code = f"none after {SECONDS} s"
            finally:
                end_group(page.pid)
            log.seek(0)
            printed = log.read()
            if code != 0:
                return f"{path}: exit code {code}\n" + "\n".join(printed.splitlines()[-15:])
            return "\n".join(check_output(printed, shown))


def end_group(group):
    """Ends programs that a page left running, such as a service."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def commands_of(text):
    """Yields a list of words for each command between pipes and similar separators."""
    for line in re.sub(r"\\\n", " ", text).splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        command = []
        for word in [*words, ";"]:
            if word not in ENDS:
                command.append(word)
            elif command:
                yield command
                command = []


@cache
def help_of(program, *arguments):
    run = subprocess.run([PROGRAMS / program, *arguments, "--help", "all"], capture_output=True, text=True, check=False)
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", run.stdout)) if run.returncode == 0 else None


def check_own(program, words):
    if not (PROGRAMS / program).exists():
        return
    command = [words[0]] if program in ("skde", "skde-bench") and words and not words[0].startswith("-") else []
    known = help_of(program, *command)
    if known is None:
        yield f"{program} has no command '{' '.join(command)}'"
        return
    for word in words:
        flag = re.match(r"--[a-z][a-z-]*", word)
        if flag and flag[0] not in known | {"--help", "--version"}:
            yield f"{' '.join([program, *command])} has no flag {flag[0]}"


@cache
def dev_commands():
    return set(re.findall(r"^  (\w+)  ", (ROOT / "dev").read_text(encoding="utf-8"), re.MULTILINE))


def check_command(words):
    for place, word in enumerate(words):
        if word in OWN_PROGRAMS:
            yield from check_own(word, words[place + 1:])
        elif word == "./dev" and not {*words[place + 1:place + 2]} <= dev_commands():
            yield f"./dev has no command '{words[place + 1]}'"
        elif word == "python3" and words[place + 1] != "-m" and not (ROOT / words[place + 1]).exists():
            yield f"there is no {words[place + 1]}"


def check_block(block):
    """Yields the problems of a block that is not run."""
    reason = block.marks.get("not run")
    if block.kind == "sh" and reason not in REASONS:
        yield f"{block}: '{reason}' is none of the reasons {sorted(REASONS)}"
    for words in commands_of(block.text):
        yield from (f"{block}: {problem}" for problem in check_command(words))


def check_other_code(block):
    """Returns the commands in blocks that are not marked as sh and so would not be run."""
    lines = [line for line in block.lines if COMMAND_LINE.match(line)]
    return [f"{block}: mark the block as sh, as commands in it would not be run: {line}" for line in lines]


def main():
    problems, pages, shown, not_run, not_here = [], {}, {}, [], []
    for page in all_pages(ROOT):
        for block in page.blocks:
            if block.kind == "bash" or "not run" in block.marks:
                problems += check_block(block)
                not_run.append(block)
            elif "output" in block.marks:
                shown.setdefault(page.path, []).append(block)
            elif block.kind != "sh":
                problems += check_other_code(block)
            elif missing_programs(block):
                not_here.append(block)
            else:
                pages.setdefault(page.path, []).append(block)
    if len(not_run) > MOST_NOT_RUN:
        problems.append(f"{len(not_run)} blocks are not run, more than {MOST_NOT_RUN}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems += filter(None, pool.map(lambda path: run_page(path, pages[path], shown.get(path, ())), pages))
    print(*problems, sep="\n")
    print(f"{sum(map(len, pages.values()))} blocks of {len(pages)} pages ran, {len(not_run)} are not run, {len(not_here)} need "
          f"programs that are not here: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
