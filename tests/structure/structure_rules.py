"""The rules of the tree: which layer may include which, how long a file may be, what the README must list.

check(root) returns one line for each violation, starting with the path it is about.
"""

import re
from collections import Counter
from pathlib import Path

from class_rules import classes
from exceptions import CLASSES, REACH

# A layer's folder and the layers that its files may include, besides their own.
LAYERS = {
    "src/system": set(),
    "src/core": {"src/system"},
    "src/io": {"src/system", "src/core"},
    "src/gpu": {"src/system", "src/core"},
    "kernels": {"src/core", "src/gpu"},
    "src/engines": {"src/system", "src/core", "src/gpu", "kernels"},
    "src/pictures": {"src/system", "src/core", "src/io"},
    "src/order": {"src/system", "src/core", "src/io", "src/gpu", "kernels"},
}
LAYERS["src/bandwidth"] = set(LAYERS) - {"src/pictures", "src/order"}
LAYERS["src/estimate"] = set(LAYERS) - {"src/pictures", "src/order"}
LAYERS["src/analysis"] = set(LAYERS)
LAYERS["src/mixture"] = {"src/system", "src/core", "src/engines"}
LAYERS["src/cli"] = set(LAYERS)
LAYERS["src/commands"] = set(LAYERS)
# The faces (programs and the Python module): none includes from another.
FACES = ("src/skde", "src/bench", "src/distributed", "src/service", "src/python", "viewer")
LAYERS |= {face: set(LAYERS) for face in FACES}

INCLUDE_ROOTS = ("src", ".", "tests")
SOURCES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".c"}
SHADERS = {".comp", ".vert", ".frag", ".glsl"}
TEXTS = SOURCES | SHADERS | {".py", ".cmake", ".in", ".md", ".txt", ".sh", ""}
SEEDS = "tests/fuzz/corpus"  # made by fuzzers, not for readers
LINE_LIMIT = 400
FOLDER_LIMIT = 40  # files per folder, to keep it surveyable
README_LIMIT = 150  # lines of the first README, which a newcomer reads in five minutes
DOOR = Path("src/skde.hpp")  # what users of libskde include
HEADERS = {".hpp", ".cuh", ".h"}
# How many of the project's headers a header and a source of a layer may include in all: each of them is compiled anew with
# every file that includes it. And how many methods and members a class may have.
HEADER_REACH, SOURCE_REACH = 60, 90
MOST_METHODS, MOST_MEMBERS = 20, 12
# Knots of folders that include one another, and are still to be untied: no other folder may join one.
KNOTS = []
# Layers without a command line: their messages name parameters, not flags.
BELOW_FLAGS = ("src/system", "src/core", "src/io", "src/gpu", "src/engines", "src/bandwidth", "src/estimate", "src/analysis", "src/mixture", "src/order", "src/pictures", "kernels")
FLAG = re.compile(r'"(?:[^"\\\n]|\\.)*(?<![\w-])--[a-z](?:[^"\\\n]|\\.)*"')
# An engine is chosen by its traits and its offer. Only the registry looks up names.
REGISTRY = Path("src/engines/registry/registry.cpp")
ENGINE_NAME = re.compile(r'\.name = "([a-z-]+)"')
ENGINE_TRAITS = re.compile(r"EngineTraits k\w+Traits\{.*?\};", re.DOTALL)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
REPEATED_NAMES = {"CMakeLists.txt", "README.md"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
MAP_HEADING = re.compile(r"^#+ .*\bmap\b.*$", re.MULTILINE | re.IGNORECASE)
MAP_LINE = re.compile(r"^\s*([\w./-]+/)\s+\S", re.MULTILINE)


def is_foreign(path):
    """Returns whether a file is built or kept by tools, and so not one of the project's own."""
    top = path.parts[0]
    hidden = any(part.startswith(".") and part != ".ci" for part in path.parts[:-1])
    cached = "__pycache__" in path.parts
    return hidden or cached or top == "out" or (top.startswith("build") and len(path.parts) > 1)


def project_files(root):
    paths = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file())
    return [path for path in paths if not is_foreign(path)]


def is_seed(path):
    return path.as_posix().startswith(SEEDS + "/")


def layer_of(path):
    """Returns the folder of the layer that holds the file, or None for tests and other files."""
    for folder in LAYERS:
        if path.as_posix().startswith(folder + "/"):
            return folder
    return None


def resolve(name, includer, files):
    """Returns the project's file that an include refers to, looked up as the compiler does."""
    for folder in (includer.parent, *map(Path, INCLUDE_ROOTS)):
        parts = []
        for part in (folder / name).parts:
            if part == "..":
                parts = parts[:-1]
            else:
                parts.append(part)
        path = Path(*parts)
        # A header may be generated from a template in the same folder.
        for candidate in (path, path.with_name(path.name + ".in")):
            if candidate in files:
                return candidate
    return None


def includes_of(root, files):
    """Returns the included files by includer, and violations for quoted names without a file."""
    graph, missing = {}, []
    for path in files:
        if path.suffix not in SOURCES or is_seed(path):
            continue
        graph[path] = []
        for mark, name in INCLUDE.findall((root / path).read_text()):
            target = resolve(name, path, files)
            if target is not None:
                graph[path].append(target)
            elif mark == '"':
                missing.append(f"{path}: includes \"{name}\", which is no file of the project")
    return graph, missing


def check_direction(graph):
    for path, targets in graph.items():
        own = layer_of(path)
        for target in targets:
            other = layer_of(target)
            if own is None or other == own:
                continue
            if other not in LAYERS[own]:
                yield f"{path}: includes {target}, which does not lie left of {own}"


def check_cycles(graph):
    finished, trail = set(), []

    def visit(path):
        if path in finished:
            return
        if path in trail:
            circle = [*trail[trail.index(path):], path]
            yield f"{path}: include cycle: {' -> '.join(map(str, circle))}"
            return
        trail.append(path)
        for target in graph.get(path, ()):
            yield from visit(target)
        trail.pop()
        finished.add(path)

    for path in graph:
        yield from visit(path)


def check_circles(graph):
    """Reports folders of a layer that include each other, directly or by way of others."""
    beside = {}
    for path, targets in graph.items():
        if layer_of(path) is not None:
            beside.setdefault(path.parent, set()).update(
                target.parent for target in targets if layer_of(target) == layer_of(path))
    reached = {folder: reached_by(folder, beside) for folder in beside}
    seen = set()
    for folder in sorted(reached):
        circle = {other for other in reached[folder] if other != folder and folder in reached.get(other, ())} | {folder}
        names = {one.as_posix() for one in circle}
        if len(circle) > 1 and folder not in seen and not any(names <= knot for knot in KNOTS):
            yield f"{folder}/: includes its folders in a circle: {', '.join(sorted(names))}"
        seen |= circle


def reached_by(path, graph):
    """Returns the headers that a file includes directly or indirectly, without itself."""
    reached, waiting = set(), [path]
    while waiting:
        new = set(graph.get(waiting.pop(), ())) - reached
        reached |= new
        waiting += new
    return reached


def check_reach(graph, allowed):
    """Reports files that include too many headers, and exceptions that are none any more."""
    left = dict(allowed)
    for path in graph:
        if layer_of(path) is None and path.parts[0] != "src":
            continue
        limit = HEADER_REACH if path.suffix in HEADERS else SOURCE_REACH
        count = sum(target.suffix != ".cpp" for target in reached_by(path, graph))
        if count > max(limit, left.pop(path.name, 0) if count > limit else 0):
            yield f"{path}: pulls in {count} headers, more than {max(limit, allowed.get(path.name, 0))}"
    yield from (f"{name}: reaches few headers now: take it out of REACH in exceptions.py" for name in left)


def check_classes(root, files, allowed):
    """Reports classes that do too much, and exceptions that are none any more."""
    left = dict(allowed)
    for path in files:
        if path.suffix not in SOURCES or layer_of(path) is None:
            continue
        for name, methods, members in classes((root / path).read_text()):
            if methods <= MOST_METHODS and members <= MOST_MEMBERS:
                continue
            left.pop(name, None)
            limits = [max(pair) for pair in zip((MOST_METHODS, MOST_MEMBERS), allowed.get(name, (0, 0)))]
            if methods > limits[0] or members > limits[1]:
                yield f"{path}: {name} has {methods} methods and {members} members, more than {limits[0]} and {limits[1]}"
    yield from (f"{name}: is a small class now: take it out of CLASSES in exceptions.py" for name in left)


def check_length(root, files):
    for path in files:
        if path.suffix not in TEXTS or is_seed(path):
            continue
        lines = len((root / path).read_text().splitlines())
        limit = README_LIMIT if path == Path("README.md") else LINE_LIMIT
        if lines > limit:
            yield f"{path}: {lines} lines, more than {limit}"


def check_folders(files):
    counts = Counter(path.parent for path in files if not is_seed(path))
    for folder, count in counts.items():
        if count > FOLDER_LIMIT:
            yield f"{folder}/: {count} files, more than {FOLDER_LIMIT}"


def check_flags(root, files):
    for path in files:
        if path.suffix not in SOURCES or layer_of(path) not in BELOW_FLAGS:
            continue
        for text in FLAG.findall(COMMENT.sub("", (root / path).read_text())):
            yield f"{path}: names a flag, which src/cli alone does: {text}"


def check_engine_names(root, files):
    """Reports code that distinguishes engines by their names: '== "span"', '== kSpanTraits.name'."""
    headers = [path for path in files if path.suffix == ".hpp" and layer_of(path) == "src/engines"]
    texts = [text for path in headers for text in ENGINE_TRAITS.findall((root / path).read_text())]
    names = "|".join(name for text in texts for name in ENGINE_NAME.findall(text)) or "(?!)"
    compared = re.compile(rf'[!=]=\s*(?:"(?:{names})"|k\w+Traits\.name)|(?:"(?:{names})"|k\w+Traits\.name)\s*[!=]=')
    for path in files:
        if path.suffix not in SOURCES or path == REGISTRY or path.parts[0] == "tests":
            continue
        for text in compared.findall(COMMENT.sub("", (root / path).read_text())):
            yield f"{path}: compares the name of an engine: {text}"


def check_names(files):
    first = {}
    for path in files:
        if path.suffix not in TEXTS or path.name in REPEATED_NAMES or is_seed(path):
            continue
        if path.name in first:
            yield f"{path}: has the name of {first[path.name]}"
        first.setdefault(path.name, path)


def map_of(text):
    """Returns the folders that a README's map lists, or None if it has no map."""
    heading = MAP_HEADING.search(text)
    if not heading:
        return None
    section = re.split(r"^#+ ", text[heading.end():], maxsplit=1, flags=re.MULTILINE)[0]
    return [name.rstrip("/") for name in MAP_LINE.findall(section)]


def check_map(root, files):
    """Reports folders without a line in the README of a folder that contains them."""
    if Path("README.md") not in files:
        yield "README.md: is missing"
        return
    kept = [Path(SEEDS, path.name) if is_seed(path) else path for path in files]
    folders = {parent for path in kept for parent in path.parents} - {Path(".")}
    listed = set()
    for readme in (path for path in files if path.name == "README.md"):
        names = map_of((root / readme).read_text())
        if names is None:
            if readme == Path("README.md"):
                yield "README.md: has no heading with the word 'map'"
                return
            continue
        for folder in (readme.parent / name for name in names):
            listed.add(folder)
            if folder not in folders:
                yield f"{readme}: the map lists {folder}/, which is no folder"
    yield from (f"{folder}/: has no line in a README's map" for folder in sorted(folders - listed))


def check(root, reach=REACH, large=CLASSES):
    """With the reaches by file name and the (methods, members) by class that are allowed for now."""
    root = Path(root)
    files = project_files(root)
    graph, missing = includes_of(root, set(files))
    return [
        *missing,
        *check_direction(graph),
        *check_cycles(graph),
        *check_circles(graph),
        *check_reach(graph, reach),
        *check_classes(root, files, large),
        *check_length(root, files),
        *check_folders(files),
        *check_flags(root, files),
        *check_engine_names(root, files),
        *check_names(files),
        *check_map(root, files),
    ]
