"""Checks links, named files and pictures of the documents; with --prose, for ./dev prose, sentences, cells and terms
instead: document_links_tests.py ROOT [--prose]."""

import re
import sys
from pathlib import Path

from markdown_pages import CODE_SPAN, Page, page_paths

ROOT = Path(sys.argv[1]).resolve()
TOP_FOLDERS = "src|tests|docs|kernels|viewer|data|shaders|.ci"
NAMED_FILE = re.compile(rf"^`((?:{TOP_FOLDERS})/[\w./-]+)`$")
PLACEHOLDERS = re.compile(r"NAME|IDs?\b|\.\.\.")
GENERATED = {"docs/reference/commands.md", "docs/reference/formats.md", "docs/reference/engines.md"}  # docs/build_docs.py
WORDS_A_SENTENCE = 18  # in the mean of a page
CELL_LENGTH = 100  # of the first README
PICTURES, PICTURE_BYTES = 8, 150_000
GLOSSARY = Path("docs/glossary.md")
TERMS = 30


def check_link(page, pages, target):
    path, _, anchor = target.partition("#")
    if re.match(r"[a-z]+:", path):
        return "" if re.match(r"(https?://\w|mailto:)", path) else f"unknown kind of address: {target}"
    file = (ROOT / page.path).parent / path if path else ROOT / page.path
    name = str(file.resolve().relative_to(ROOT)) if file.resolve().is_relative_to(ROOT) else target
    if name in GENERATED:
        return ""
    if not file.exists():
        return f"there is no {target}"
    if anchor and anchor not in pages[Path(name)].anchors():
        return f"{name} has no heading #{anchor}"
    return ""


def check_named_files(page):
    for number, line in page.prose:
        for span in CODE_SPAN.findall(line):
            named = NAMED_FILE.match(span)
            if named and not PLACEHOLDERS.search(span) and named[1] not in GENERATED and not (ROOT / named[1]).exists():
                yield f"{page.path}:{number}: there is no {named[1]}"


def check_sentences(page):
    words = [len(sentence.split()) for sentence in page.sentences()]
    if words and sum(words) / len(words) > WORDS_A_SENTENCE:
        yield f"{page.path}: {sum(words) / len(words):.1f} words a sentence, more than {WORDS_A_SENTENCE}"


def check_first_readme(page):
    for number, line in page.prose:
        for cell in re.split(r"(?<!\\)\|", line) if line.startswith("|") else []:
            if len(cell.strip()) > CELL_LENGTH:
                yield f"{page.path}:{number}: a cell of {len(cell.strip())} characters, more than {CELL_LENGTH}"


def check_glossary(page):
    terms = [line for _, line in page.prose if line.startswith("|")][2:]
    if len(terms) > TERMS:
        yield f"{page.path}: {len(terms)} terms, more than {TERMS}"


def check_pictures():
    pictures = sorted((ROOT / "docs/pictures").glob("*"))
    if len(pictures) > PICTURES:
        yield f"docs/pictures: {len(pictures)} files, more than {PICTURES}"
    for picture in pictures:
        if picture.stat().st_size > PICTURE_BYTES:
            yield f"{picture.name}: {picture.stat().st_size} bytes, more than {PICTURE_BYTES}"


def prose_problems(pages):
    for path, page in pages.items():
        if path == Path("README.md") or path.parts[0] == "docs":
            yield from check_sentences(page)
    yield from check_first_readme(pages[Path("README.md")])
    yield from check_glossary(pages[GLOSSARY]) if GLOSSARY in pages else ()


def link_problems(pages):
    yield from check_pictures()
    for path, page in pages.items():
        for number, _, target in page.links():
            if problem := check_link(page, pages, target):
                yield f"{path}:{number}: {problem}"
        if path.name != "CHANGELOG.md":
            yield from check_named_files(page)


def main():
    pages = {path: Page(ROOT, path) for path in page_paths(ROOT)}
    problems = list((prose_problems if "--prose" in sys.argv else link_problems)(pages))
    print(*problems, sep="\n")
    print(f"{len(pages)} pages: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
