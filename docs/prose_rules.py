"""The texts that the programs print, and the rules that they must follow.

messages(root) lists the errors, problems and warnings in the sources, help_texts(folder) the help texts in the man pages that
the programs write, and other_texts(root) all texts of the sources. The violations_*() yield one line for each violation.
"""

import re
from collections import namedtuple

Message = namedtuple("Message", "place kind text advice")  # advice: its text, "..." if it is made at run time, or empty
Help = namedtuple("Help", "place kind text")

MESSAGE_LIMIT = 160  # characters of a message, with placeholders; its advice may have as many
HELP_LIMITS = {"option": 240, "command": 320, "example": 80}  # without the default of an option
DEFAULT = re.compile(r" \[[^\[\]]*\]$")
# The step that corrects an error, or the value that was expected.
ADVICE = re.compile(r"\b(?:%s)\b" % "|".join(
    "add ask check choose compare configure convert correct count drop estimate expected free give install jitter keep leave.out "
    "make measure must name needs? open put raise remove rename report request.it resample run.it save scale see send separate set "
    "start sum try.again use wait write did.you.mean".replace(".", r"\s").split()))
# A user can do nothing here: the run was stopped, the service failed, or a thing that the message names does not exist.
NO_ADVICE = {"cancelled", "not-found", "gone", "internal", "crash", "disk"}
# These need no advice if they name the file, or the sample, point or part that is wrong.
FILE_KINDS = {"input", "output"}
NAMES_PLACE = re.compile(r"^(?:\{\w*\}){1,2}: |^: |^standard output|^-o |\b(?:sample|point|part|category|value)\b")
DIALECT = [re.compile(pattern) for pattern in (
    r"(?<!here )\b(?:is|are) no\b(?! longer| more)", r"\bis none (?:that|of)\b", r"\bforetold\b|\btold\b|\btells?\b", r"\bheed",
    r"\bwhole numbers?\b", r"\bevidence\b", r"\balike\b", r"\bmend", r"\bcut short\b", r"\bpromises?\b", r"\bat the most\b",
    r"\bnot there\b", r"\bfor ever\b", r"\blikewise\b", r"\bpass(?:es|ed)? over\b", r"\bone a core\b", r"\bas it stands\b",
    r"\bsuch as there\b", r"\bmakes? no sense\b", r"\bis due\b|\bare due\b", r"\banew\b", r"\bof unlike\b", r"\bfor people\b")]

STRING = r'"(?:[^"\\\n]|\\.)*"'
RAW = r'R"(\w*)\((?:.|\n)*?\)\1"'
CHARACTER = r"(?<!\w)'(?:[^'\\\n]|\\.)+'"
TOKEN = re.compile(rf"(?P<comment>//[^\n]*|/\*(?:.|\n)*?\*/)|{RAW}|{STRING}|{CHARACTER}")
JOINED = re.compile(rf"{STRING}(?:\s*{STRING})*")
ERROR = re.compile(r"\bError(?:\s+\w+)?\s*[({]\s*[^;\"(){}]*?ErrorKind::(\w+)")
PROBLEM = re.compile(r"\bProblem(?:\s+\w+)?\s*[({]\s*\d+\s*,\s*\"([\w-]+)\"")
WARNING = re.compile(r"\b(?:warnings\.push_back|print_warning|warn)\s*\(")
USAGE = re.compile(r"\busage_error\s*\(")
REFUSAL = re.compile(r"(?:\[\[noreturn\]\][^;{=]*?\b|\n(?:inline |  )?Error |\bauto )(\w+)(?: = \[[^\]]*\])?\s*\(")


def without_comments(source):
    """The source with its comments blanked, at the same places."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group()) if match.group("comment") else match.group()
    return TOKEN.sub(blank, source)


def arguments_at(source, begin):
    """The arguments between the bracket at `begin` and its counterpart, and the end of the call."""
    closing = {"(": ")", "{": "}", "[": "]"}
    stack, parts, at, part = [], [], begin, begin + 1
    while at < len(source):
        token = TOKEN.match(source, at)
        if token:
            at = token.end()
            continue
        char = source[at]
        if char in closing:
            stack.append(closing[char])
        elif stack and char == stack[-1]:
            stack.pop()
            if not stack:
                return [text.strip() for text in parts + [source[part:at]]], at + 1
        elif char == "," and len(stack) == 1:
            parts.append(source[part:at])
            part = at + 1
        at += 1
    return [], at


def strings_in(code):
    """The texts of the code; adjacent literals are one text."""
    return ["".join(s[1:-1] for s in re.findall(STRING, m.group())).replace('\\"', '"') for m in JOINED.finditer(code)]


def text_of(code):
    """The longest text that an expression can give, as far as it stands in the source."""
    texts = strings_in(code)
    if "?" in re.sub(STRING, "", code):
        return max(texts, key=len, default="")
    return "".join(texts)


def advice_of(code):
    """The suggestion of an ErrorAdvice."""
    parts = arguments_at(code, 0)[0] if code.startswith("{") else [None, code]
    if len(parts) < 2 or parts[1] in ("", "{}", '""'):
        return ""
    return text_of(parts[1]) or "..."


def message(place, kind, arguments):
    text = text_of(arguments[0]) if arguments else ""
    says = re.search(r"[a-z]{2}", re.sub(r"\{[^{}]*\}|got", "", text))  # not a frame around other texts
    return Message(place, kind, text, advice_of(arguments[1]) if len(arguments) > 1 else "") if says else None


def refusals(source):
    """Names of the functions of a file that make an error of a text that they are given, with its kind and its own advice."""
    found = {}
    for match in REFUSAL.finditer(source):
        body = source.find("{", match.end())
        if body < 0 or body - match.end() > 400:
            continue
        _, end = arguments_at(source, body)
        error = ERROR.search(source, body, end)
        error, skipped = (error, 2) if error else (PROBLEM.search(source, body, end), 3)
        if error and match.group(1) not in ("Error", "main"):
            bracket = error.start() + re.search(r"[({]", error.group()).start()
            advice = arguments_at(source, bracket)[0][skipped:]
            found[match.group(1)] = error.group(1), advice_of(advice[0]) if advice and '"' in advice[0] else ""
    return found


def messages_of(path, source):
    """The messages of one file."""
    source = without_comments(source)
    found = []

    def place_of(match):
        return f"{path}:{source.count(chr(10), 0, match.start()) + 1}"

    def add(match, kind, skipped, bracket=None):
        begin = match.end() - 1 if bracket is None else bracket
        made = message(place_of(match), kind, arguments_at(source, begin)[0][skipped:])
        if made:
            found.append(made)
    for match in ERROR.finditer(source):
        add(match, match.group(1), 1, match.start() + re.search(r"[({]", match.group()).start())
    for match in PROBLEM.finditer(source):
        add(match, match.group(1), 2, match.start() + re.search(r"[({]", match.group()).start())
    for match in USAGE.finditer(source):
        add(match, "usage", 1 if path.endswith("core/space/grid.cpp") else 0)
    for match in WARNING.finditer(source):
        arguments = arguments_at(source, match.end() - 1)[0]
        row = next((a for a in arguments if a.startswith("{")), None)
        arguments = arguments_at(row, 0)[0] if row else arguments
        if len(arguments) > 1 and re.fullmatch(r'"[a-z_]+"', arguments[0]):
            made = message(place_of(match), "warning", arguments[1:])
            found.extend([made] if made else [])
    for name, (kind, advice) in refusals(source).items():
        for match in re.finditer(rf"\b{name}\(", source):
            arguments = arguments_at(source, match.end() - 1)[0]
            texts = [text_of(a) for a in arguments]
            where = next((i for i, text in enumerate(texts) if " " in text), None)
            if where is None or source[:match.start()].rstrip().endswith(("void", "Error")):
                continue
            more = advice or next((text or "..." for text, code in zip(texts[where + 1:], arguments[where + 1:])
                                   if code != "{}" and (" " in text or not text)), "")
            found.append(Message(place_of(match), f"{kind} by {name}", texts[where], more))
    return found


def sources(root, folders=("src", "viewer", "kernels"), endings=(".cpp", ".hpp", ".cu", ".cuh")):
    for folder in folders:
        yield from sorted(p for p in (root / folder).rglob("*") if p.suffix in endings)


def messages(root):
    return [m for path in sources(root)
            for m in messages_of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))]


def other_texts(root):
    """(place, text) of every text of more than one word: messages, labels, reports, descriptions."""
    for path in sources(root):
        source = without_comments(path.read_text(encoding="utf-8"))
        for match in JOINED.finditer(source):
            text = strings_in(match.group())[0]
            if " " in text.strip():
                yield f"{path.relative_to(root).as_posix()}:{source.count(chr(10), 0, match.start()) + 1}", text
    for path in sources(root, ("src/service/web",), (".html", ".js")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{path.relative_to(root).as_posix()}:{number}", re.sub(r"^\s*//.*", "", line)


def plain(roff):
    """A line of a man page as people read it."""
    return re.sub(r"\\f.|\\&", "", roff.replace("\\-", "-").replace("\\(aq", "'").replace("\\(ha", "^").replace("\\e", "\\"))


def help_texts_of(name, page):
    """The help texts of one man page: of the command, its options and its examples."""
    lines, section, found = page.splitlines(), "", []
    for number, line in enumerate(lines):
        if line.startswith(".SH"):
            section = line[4:]
            if section == "DESCRIPTION":
                found.append(Help(name, "command", plain(lines[number + 1])))
        elif line.startswith(".TP") and number + 2 < len(lines) and section in ("OPTIONS", "COMMANDS", "EXAMPLES"):
            kind = "example" if section == "EXAMPLES" else "option"
            found.append(Help(f"{name}: {plain(lines[number + 1])}", kind, plain(lines[number + 2])))
    return found


def help_texts(folder):
    """The help texts of all man pages below the folder."""
    return [text for page in sorted(folder.glob("*/man1/*.1"))
            for text in help_texts_of(page.stem, page.read_text(encoding="utf-8"))]


def dialect(place, text):
    for word in DIALECT:
        if found := word.search(text):
            yield f"{place}: '{found.group()}' is not plain English: {text}"


def violations_of_message(m):
    for text in (m.text, m.advice):
        if len(text) > MESSAGE_LIMIT:
            yield f"{m.place}: {len(text)} characters, more than {MESSAGE_LIMIT}: {text}"
    kind = m.kind.split(" by ")[0]
    has_advice = m.advice == "..." or ADVICE.search(f"{m.text}; {m.advice}") or kind in NO_ADVICE
    if not has_advice and not (kind in FILE_KINDS and (" by " in m.kind or NAMES_PLACE.match(m.text))):
        yield f"{m.place}: {m.kind}, says neither what to do nor where: {m.text}"


def violations_of_help(h):
    if not h.text:
        yield f"{h.place}: has no text"
    if (length := len(DEFAULT.sub("", h.text))) > HELP_LIMITS[h.kind]:
        yield f"{h.place}: {length} characters, more than {HELP_LIMITS[h.kind]}: {h.text}"
    yield from dialect(h.place, h.text)
