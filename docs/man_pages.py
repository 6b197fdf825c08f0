"""Converts the man pages that a program prints to Markdown."""

import re
import subprocess


def described(program, *what):
    return subprocess.run([program, "--describe", *what], check=True, capture_output=True, text=True).stdout


def spans(text):
    """Converts a line of roff to Markdown: flags in code, values in italics."""
    text = text.replace("\\(aq", "'").replace("\\(ha", "^").replace("\\-", "-").replace("\\&", "")
    parts = re.split(r"\\f([BIR])", text)
    out, font = [escaped(parts[0])], "R"
    for font, part in zip(parts[1::2], parts[2::2]):
        shown = part.strip()
        inner = {"B": f"`{shown}`", "I": f"*{escaped(shown)}*"}.get(font, escaped(part))
        out.append(inner if shown or font == "R" else "")
    return "".join(out).replace("\\e", "\\")


def escaped(text):
    return re.sub(r"([*_<>|`\[\]$#{}])", r"\\\1", text)


def markdown_of(page):
    """Converts a man page: sections become headings, and tagged paragraphs become a definition list."""
    out, tag = [], False
    for line in page.splitlines():
        request, _, rest = line.partition(" ")
        if request == ".TH":
            continue
        if request == ".SH" and rest == "SEE ALSO":
            break
        if request in (".SH", ".SS"):
            title = rest.strip('"').capitalize() if request == ".SH" else rest.strip('"')
            out += ["", f"{'##' if request == '.SH' else '###'} {spans(title)}", ""]
        elif request == ".TP":
            tag = True
        elif request == ".PP":
            out.append("")
        elif tag == "text":
            out += [f": {spans(line)}", ""]
            tag = False
        elif tag:
            out.append(spans(line))
            tag = "text"
        else:
            out.append(spans(line))
    return "\n".join(out) + "\n"


def pages_of(program):
    """Yields (name, title, text) for the program and for each of its commands."""
    name = program.name
    commands = described(program, "commands").split() if has_commands(program) else []
    yield name, name, markdown_of(described(program, "man"))
    for command in commands:
        yield f"{name}-{command}", f"{name} {command}", markdown_of(described(program, "man", command))


def has_commands(program):
    return subprocess.run([program, "--describe", "commands"], check=False, capture_output=True).returncode == 0
