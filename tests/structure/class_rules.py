"""Counts the methods and members of classes in C++, as far as this tree's formatting needs it.

Constructors, the destructor, types, friends and constants of a class are neither. Members of a struct are not counted: it is
a plain value, whose fields stand in a table.
"""

import re

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*", re.DOTALL | re.MULTILINE)
LITERAL = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'")
CLASS = re.compile(r"\b(?<!enum )(class|struct)\s+(\w+)(?:\s+final)?(?:\s*:[^;{()]*)?\s*\{")
ACCESS = re.compile(r"\b(?:public|private|protected)\s*:(?!:)")
BODY = re.compile(r"[^{}=]*\)[^{}=;]*\{\}")
NEITHER = re.compile(r"using|friend|typedef|enum|static_assert|class|struct|template\s*<[^>]*>\s*(?:class|struct|friend)|"
                     r"(?:static |inline )*constexpr static|(?:static |inline )+constexpr (?!.*\()")


def statements(text, begin):
    """The statements of a block that opens before `begin`, without what stands in the blocks in it."""
    depth, block = 1, ""
    for sign in text[begin:]:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth == 0:
            break
        if depth == 1 or (depth == 2 and sign == "{"):
            block += sign
    for part in ACCESS.sub("", block).split(";"):
        while body := BODY.match(part):
            yield body.group()
            part = part[body.end():]
        yield part


def counted(statement, name):
    """(methods, members) that a statement declares."""
    text = re.sub(r"\[\[.*?\]\]", "", statement).strip()
    if not text or NEITHER.match(text):
        return 0, 0
    while (bare := re.sub(r"<[^<>]*>", "", text)) != text:
        text = bare
    head = text if "operator" in text else re.split(r"[={]", text)[0]
    if "(" in head:
        return int(not re.search(rf"\b{name}\s*\(", head)), 0
    return 0, 1 + re.sub(r"\{[^}]*\}|=[^,]*", "", text).count(",")


def classes(text):
    """(name, methods, members) of each class and struct."""
    text = LITERAL.sub('""', COMMENT.sub("", text))
    for found in CLASS.finditer(text):
        counts = [counted(one, found[2]) for one in statements(text, found.end())]
        yield found[2], sum(methods for methods, _ in counts), sum(m for _, m in counts) if found[1] == "class" else 0
