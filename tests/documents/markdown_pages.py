"""Parses the Markdown pages of the tree into blocks of code, headings, links and prose."""

import os
import re
from pathlib import Path

FENCE = re.compile(r"^(\s*)```(\S*)\s*$")
COMMENT = re.compile(r"^<!-- (not run|needs|output)(?:: (.+))? -->$")
CODE_SPAN = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$")


class Block:
    """Code of a page: `kind` is the word after the fence, or "indented"; `marks` are the comments before it."""

    def __init__(self, page, line, kind, marks):
        self.page, self.line, self.kind, self.marks, self.lines = page, line, kind, marks, []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def __str__(self):
        return f"{self.page}:{self.line}"


class Page:
    """A page, with its path from the root, its code in `blocks` and all other lines in `prose`."""

    def __init__(self, root, path):
        self.path, self.blocks, self.prose = path, [], []
        block, marks, blank = None, {}, True
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            fence = FENCE.match(line)
            if block is not None and block.kind != "indented":
                if fence and not fence[2]:
                    block = None
                else:
                    block.lines.append(line)
            elif fence:
                block, marks, blank = Block(path, number, fence[2], marks), {}, False
                self.blocks.append(block)
            elif line.startswith("    ") and line.strip() and (blank or block is not None):
                if block is None:
                    block = Block(path, number, "indented", {})
                    self.blocks.append(block)
                block.lines.append(line[4:])
            else:
                block = block if not line.strip() else None
                mark = COMMENT.match(line)
                if mark:
                    marks[mark[1]] = mark[2]
                elif line.strip():
                    marks = {}
                blank = not line.strip() or mark is not None
                self.prose.append((number, "" if mark else line))

    def anchors(self):
        """Returns the anchors that a forge and MyST generate for the headings."""
        found = set()
        for _, line in self.prose:
            heading = HEADING.match(line)
            if heading:
                text = re.sub(r"[`*$]|\[|\]\([^)]*\)", "", heading[1]).strip().lower()
                found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
        return found

    def links(self):
        """Yields (line, is a picture, target)."""
        text = "\n".join(line for _, line in self.prose)
        text = CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", " ", span[0]), text)
        for link in LINK.finditer(text):
            yield self.prose[text.count("\n", 0, link.start())][0], link[1] == "!", link[2]

    def sentences(self):
        """Yields the sentences outside tables, headings and code; a code span counts as one word."""
        paragraphs, lines = [], []
        for _, line in [*self.prose, (0, "")]:
            text = line.strip()
            starts = re.match(r"([-*]|\d+\.) ", text)
            if not text or starts or text.startswith(("#", "|", "!", "$$", "<")):
                paragraphs.append(" ".join(lines))
                lines = []
            if text and not text.startswith(("#", "|", "!", "$$", "<")):
                lines.append(text[starts.end():] if starts else text)
        for paragraph in paragraphs:
            plain = LINK.sub("link", re.sub(r"\$[^$]+\$", "formula", CODE_SPAN.sub("code", paragraph)))
            for sentence in re.split(r"(?<=[.!?])\s+", plain):
                if len(sentence.split()) > 1:
                    yield sentence


def is_foreign(folder):
    return folder.startswith((".", "build")) or folder in ("out", "node_modules", "__pycache__")


def page_paths(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not is_foreign(name))
        for name in sorted(files):
            if name.endswith(".md"):
                yield (Path(folder) / name).relative_to(root)


def all_pages(root):
    return [Page(root, path) for path in page_paths(root)]
