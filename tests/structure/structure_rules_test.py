"""Breaks each rule of the tree in a small copy and expects it to be found, and nothing else."""

import tempfile
import unittest
from pathlib import Path

from class_rules import classes
from structure_rules import HEADER_REACH, LINE_LIMIT, README_LIMIT, REGISTRY, SOURCE_REACH, check

GOOD_TREE = {
    "README.md": "# a\n\n## Map of the tree\n\n"
    "    src/  programs\n    src/core/  mathematics\n    src/io/  files\n    src/gpu/  devices\n"
    "    kernels/  device code\n    src/engines/  methods\n    tests/  tests\n"
    "    tests/fuzz/  fuzzing\n    tests/fuzz/corpus/  seeds\n\n## Next\n\n    not_a_folder/  text\n",
    "src/core/grid.hpp": '#include <vector>\n#include "core/version.hpp"\n',
    "src/core/version.hpp.in": "// @VERSION@\n",
    "src/io/writer.hpp": '#include "core/grid.hpp"\n',
    "src/gpu/stream.hpp": '#include "core/grid.hpp"\n',
    "kernels/scan.cu": '#include "gpu/stream.hpp"\n',
    "src/engines/span.cpp": '#include "kernels/scan.cu"\n',
    "tests/grid_tests.cpp": '#include "io/writer.hpp"\n#include "core/grid.hpp"\n',
    "tests/fuzz/corpus/text/grid.hpp": "x\n" * (LINE_LIMIT + 1),
    "build/generated/left_over.hpp": "x\n" * (LINE_LIMIT + 1),
}


def violations(**changes):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**GOOD_TREE, **changes.pop("files", {})}.items():
            if text is None:
                continue
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(folder, **{"reach": {}, "large": {}, **changes})


class StructureRules(unittest.TestCase):
    def expect_one(self, files, *words, **allowed):
        found = violations(files=files, **allowed)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_good_tree_has_no_violation(self):
        self.assertEqual(violations(), [])

    def test_include_to_the_right(self):
        self.expect_one({"src/core/grid.hpp": '#include "gpu/device.hpp"\n',
                         "src/gpu/device.hpp": ""}, "src/core/grid.hpp", "src/gpu/device.hpp")

    def test_include_in_angle_brackets_counts(self):
        self.expect_one({"src/core/grid.hpp": "#include <gpu/device.hpp>\n",
                         "src/gpu/device.hpp": ""}, "src/core/grid.hpp", "src/gpu/device.hpp")

    def test_include_across_branches(self):
        self.expect_one({"src/io/writer.hpp": '#include "gpu/stream.hpp"\n'},
                        "src/io/writer.hpp", "left of src/io")

    def test_io_joins_only_at_the_estimate(self):
        self.expect_one({"src/engines/span.cpp": '#include "io/writer.hpp"\n'},
                        "src/engines/span.cpp", "src/io/writer.hpp")

    def test_include_by_a_relative_path(self):
        self.expect_one({"src/core/grid.hpp": '#include "../io/writer.hpp"\n',
                         "src/io/writer.hpp": ""}, "src/core/grid.hpp", "src/io/writer.hpp")

    def test_layer_includes_tests(self):
        self.expect_one({"src/io/writer.hpp": '#include "cases.hpp"\n', "tests/cases.hpp": ""},
                        "src/io/writer.hpp", "tests/cases.hpp")

    def test_include_of_nothing(self):
        self.expect_one({"src/io/writer.hpp": '#include "core/gird.hpp"\n'},
                        "src/io/writer.hpp", "core/gird.hpp")

    def test_cycle(self):
        self.expect_one({"src/core/grid.hpp": '#include "core/box.hpp"\n',
                         "src/core/box.hpp": '#include "core/grid.hpp"\n'}, "cycle",
                        "src/core/grid.hpp", "src/core/box.hpp")

    def test_circle_of_folders(self):
        files = {"src/core/space/cells.hpp": '#include "core/mixture/member.hpp"\n', "src/core/mixture/member.hpp": "",
                 "src/core/mixture/step.hpp": '#include "core/space/box.hpp"\n', "src/core/space/box.hpp": ""}
        readme = {"src/core/README.md": "# map\n\n    space/  a\n    mixture/  b\n"}
        self.expect_one({**files, **readme}, "in a circle", "src/core/mixture, src/core/space")

    def test_file_that_includes_itself(self):
        self.expect_one({"src/core/grid.hpp": '#include "core/grid.hpp"\n'}, "cycle")

    def test_file_that_pulls_in_too_many(self):
        for limit, name in ((HEADER_REACH, "all.hpp"), (SOURCE_REACH, "all.cpp")):
            parts = [f"{('src/core', 'src/gpu', 'kernels')[i % 3]}/part_{i}.hpp" for i in range(limit + 1)]
            lines = [f'#include "{part.removeprefix("src/")}"\n' for part in parts]
            headers = dict.fromkeys(parts, "")
            large = {**headers, f"src/engines/{name}": "".join(lines)}
            self.expect_one(large, f"src/engines/{name}", f"{limit + 1} headers, more than {limit}")
            self.expect_one(large, f"more than {limit}", reach={name: limit})
            self.assertEqual(violations(files=large, reach={name: limit + 1}), [])
            self.assertEqual(violations(files={**headers, f"src/engines/{name}": "".join(lines[1:])}), [])
            self.expect_one({}, f"{name}: reaches few headers", reach={name: limit + 1})

    def test_counts_of_methods_and_members(self):
        text = """class Small final : public Base<int> {
 public:
  Small() : one_(1) { if (one_) { two(); } }
  ~Small() override = default;
  Small& operator=(const Small&) = delete;
  [[nodiscard]] int one() const { return one_; }
  std::function<void(int)> two(std::pair<int, int> given = {1, 2});
  static constexpr int kMost = 3, kLeast = 1;
  using Pair = std::pair<int, int>;
 private:
  struct Inner {
    int a, b;
    int sum() const { return a + b; }
  };
  std::map<int, Inner> inners_{}, others_;  // two
  std::function<void(int)> done_ = [](int) { int x; };
  int one_ = 1;
};
enum class Word { one, two };
"""
        self.assertEqual(list(classes(text)), [("Small", 3, 4), ("Inner", 1, 0)])

    def test_large_classes(self):
        methods, members = ("".join(f"  int a{i}{end};\n" for i in range(count)) for count, end in ((20, "()"), (12, "_")))
        for extra in ("int more();", "int more_;"):
            large = {"src/core/grid.hpp": f"class Grid {{\n{methods}{members}{extra}\n}};\n"}
            self.expect_one(large, "src/core/grid.hpp", "Grid has", "more than 20 and 12")
            self.assertEqual(violations(files=large, large={"Grid": (21, 13)}), [])
        small = {"src/core/grid.hpp": f"class Grid {{\n{methods}{members}}};\n"}
        self.assertEqual(violations(files=small), [])
        self.expect_one(small, "Grid: is a small class", large={"Grid": (21, 13)})

    def test_flag_below_the_command_line(self):
        self.expect_one({"src/core/grid.hpp": 'fail("use smaller --dims");\n'}, "src/core/grid.hpp", "--dims")
        self.assertEqual(violations(files={
            "src/core/grid.hpp": '// as --dims has it\n--count; fail("`dims`"); a = "--"; b = "x--y";\n'}), [])

    def test_length(self):
        self.assertEqual(violations(files={"src/core/long.hpp": "\n" * LINE_LIMIT}), [])
        self.expect_one({"src/core/long.hpp": "\n" * (LINE_LIMIT + 1)}, "src/core/long.hpp",
                        str(LINE_LIMIT + 1))

    def test_length_of_the_first_readme(self):
        self.expect_one({"README.md": GOOD_TREE["README.md"] + "\n" * README_LIMIT}, "README.md", str(README_LIMIT))
        self.assertEqual(violations(files={"src/README.md": "\n" * LINE_LIMIT}), [])

    def test_length_of_a_script_without_suffix(self):
        self.expect_one({"dev": "\n" * (LINE_LIMIT + 1)}, "dev")

    def test_names_of_engines_are_not_compared(self):
        traits = 'inline constexpr EngineTraits kSpanTraits{\n    .name = "span",\n    .device = Device::cpu};\n'
        for text in ('if (engine == "span") {}', 'if ("span" != engine) {}', "x = name == kSpanTraits.name;"):
            self.expect_one({"src/engines/span.hpp": traits, "src/core/grid.hpp": text + "\n"}, "src/core/grid.hpp", "span" if '"' in text else "Traits")
        self.assertEqual(violations(files={"src/engines/span.hpp": traits, str(REGISTRY): 'a == "span";\n', "src/engines/README.md": "# map\n\n    registry/  a\n",
                                           "src/core/grid.hpp": 'b == "other"; engine = "span";\n'}), [])

    def test_two_files_of_one_name(self):
        self.expect_one({"src/io/grid.hpp": ""}, "src/io/grid.hpp", "src/core/grid.hpp")

    def test_list_files_may_share_a_name(self):
        self.assertEqual(violations(files={"src/CMakeLists.txt": "", "tests/CMakeLists.txt": ""}), [])

    def test_folder_without_a_line(self):
        self.expect_one({"src/estimate/score.cpp": ""}, "src/estimate/")

    def test_line_without_a_folder(self):
        self.expect_one({"kernels/scan.cu": None, "src/engines/span.cpp": ""}, "kernels/")

    def test_folder_in_the_readme_of_a_folder_above(self):
        files = {"src/estimate/score.cpp": "", "src/README.md": "# a\n\n## Map\n\n    estimate/  scores\n"}
        self.assertEqual(violations(files=files), [])
        files["src/README.md"] = "# a\n\nno list\n"
        self.expect_one(files, "src/estimate/")

    def test_line_without_a_folder_in_another_readme(self):
        self.expect_one({"src/README.md": "# a\n\n## Map\n\n    estimate/  scores\n"}, "src/README.md", "src/estimate/")

    def test_readme_without_a_map(self):
        self.expect_one({"README.md": "# a\n"}, "map")

    def test_no_readme(self):
        self.expect_one({"README.md": None}, "README.md")


if __name__ == "__main__":
    unittest.main()
