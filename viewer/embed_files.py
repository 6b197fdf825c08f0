"""Writes a C++ file that holds the bytes of other files: embed_files.py OUT.cpp FILE..."""

import sys
from pathlib import Path

HEAD = """#include "viewer/gl/shader_program.hpp"

namespace skde::view::gl {
namespace {

"""
TABLE_HEAD = """
constexpr EmbeddedFile kFiles[] = {
"""
TAIL = """};

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return kFiles; }

}  // namespace skde::view::gl
"""


def array(index, data):
    """The bytes as one array; a string literal may be too long for a compiler."""
    numbers = ",".join(str(byte) for byte in data)
    return f"constexpr unsigned char kBytes{index}[] = {{{numbers}}};\n"


def main(out, *paths):
    paths = [Path(path) for path in paths if Path(path).is_file()]
    text = HEAD + "".join(array(index, path.read_bytes() or b" ") for index, path in enumerate(paths))
    text += TABLE_HEAD
    for index, path in enumerate(paths):
        text += f'    {{"{path.name}", kBytes{index}}},\n'
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    Path(out).write_text(text + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
