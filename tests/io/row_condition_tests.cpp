// Rows kept by a condition, compared with expression trees that are evaluated row by row.

#include "io/points/columns/row_condition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "io/points/point_table.hpp"
#include "reader_support.hpp"

namespace skde::test {
namespace {

constexpr const char* kTexts[] = {"", "noise", "quake", "quarry blast", "Zürich", "it's", "a\"b"};
constexpr double kNumbers[] = {-2, -0.5, 0, 1, 2, 2.5, 1e9};
constexpr const char* kSigns[] = {"==", "!=", "<", "<=", ">", ">="};

struct Row {
  double x, y, z, mag;
  std::string kind;
};

/// A condition as a tree; its text and its value both come from the same nodes.
struct Node {
  enum Kind { number, text, negation, conjunction, disjunction } kind = number;
  int column = 0, sign = 0;
  bool turned = false;
  double value = 0;
  std::string word;
  std::unique_ptr<Node> left, right;
};

template <class Value>
bool compares(const Value& a, int sign, const Value& b) {
  switch (sign) {
    case 0:
      return a == b;
    case 1:
      return !(a == b);
    case 2:
      return a < b;
    case 3:
      return a < b || a == b;
    case 4:
      return b < a;
    default:
      return b < a || a == b;
  }
}

bool holds(const Node& node, const Row& row) {
  switch (node.kind) {
    case Node::number: {
      const double columns[] = {row.x, row.y, row.z, row.mag};
      return compares(columns[node.column], node.sign, node.value);
    }
    case Node::text:
      return compares(row.kind, node.sign, node.word);
    case Node::negation:
      return !holds(*node.left, row);
    case Node::conjunction:
      return holds(*node.left, row) && holds(*node.right, row);
    default:
      return holds(*node.left, row) || holds(*node.right, row);
  }
}

class RandomCondition {
 public:
  explicit RandomCondition(std::uint64_t seed) : random_(seed) {}

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  std::unique_ptr<Node> tree(int depth) {
    auto node = std::make_unique<Node>();
    const int kind = depth == 0 ? below(2) : below(5);
    node->kind = static_cast<Node::Kind>(kind);
    node->sign = below(6);
    node->turned = below(3) == 0;
    node->column = below(4);
    node->value = kNumbers[below(7)];
    node->word = kTexts[below(7)];
    if (kind >= Node::negation) node->left = tree(depth - 1);
    if (kind >= Node::conjunction) node->right = tree(depth - 1);
    return node;
  }

  /// Writes the condition with the brackets it needs, and sometimes with more.
  std::string write(const Node& node, int binds = 0) {
    const std::string gap(static_cast<std::size_t>(below(3)), ' ');
    switch (node.kind) {
      case Node::number:
      case Node::text:
        return comparison(node, gap);
      case Node::negation:
        return (below(2) ? "!" + gap : std::string("NOT ")) + write(*node.left, 3);
      default: {
        const bool both = node.kind == Node::conjunction;
        const int own = both ? 2 : 1;
        const char* const words[] = {both ? " and " : " or ", both ? "&&" : "||"};
        const std::string text =
            write(*node.left, own) + gap + words[below(2)] + gap + write(*node.right, own);
        return own < binds || below(4) == 0 ? "(" + gap + text + ")" : text;
      }
    }
  }

 private:
  std::string comparison(const Node& node, const std::string& gap) {
    static const char* const kTurned[] = {"==", "!=", ">", ">=", "<", "<="};
    const bool is_text = node.kind == Node::text;
    static const char* const kNames[4][3] = {{"x", "X", "#1"},
                                             {"y", "'y'", "#2"},
                                             {"z", "`z`", "Z"},
                                             {"`mag [Mw]`", "'Mag [mw]'", "#4"}};
    const std::string column = is_text ? "kind" : kNames[node.column][below(3)];
    const std::string value = is_text ? quoted(node.word) : fmt::format("{}", node.value);
    if (!node.turned) return column + gap + kSigns[node.sign] + gap + value;
    return value + gap + kTurned[node.sign] + gap + column;
  }

  std::string quoted(const std::string& word) {
    const char quote = below(2) ? '"' : '\'';
    std::string text(1, quote);
    for (const char c : word) text.append(c == quote ? 2 : 1, c);
    return text + quote;
  }

  std::mt19937_64 random_;
};

std::vector<Row> random_rows(std::size_t count, std::uint64_t seed) {
  RandomCondition random(seed);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = [&] { return kNumbers[random.below(7)]; };
    const double mag = random.below(5) == 0 ? NAN : number();
    rows.push_back({number(), number(), number(), mag, kTexts[random.below(7)]});
  }
  return rows;
}

std::string table_of(const std::vector<Row>& rows) {
  std::string text = "x,y,z,mag [Mw],kind\n";
  for (const Row& row : rows) {
    std::string kind;
    for (const char c : row.kind) kind.append(c == '"' ? 2 : 1, c);
    const std::string mag = std::isnan(row.mag) ? "" : fmt::format("{}", row.mag);
    text += fmt::format("{},{},{},{},\"{}\"\n", row.x, row.y, row.z, mag, kind);
  }
  return text;
}

io::ColumnSelection where(const std::string& condition) {
  io::ColumnSelection columns;
  columns.where = condition;
  return columns;
}

struct KeptRows {
  std::vector<double> xyz, weights;
  io::CloudCounts counts;
};

KeptRows kept_rows(const std::string& path, const io::ColumnSelection& columns,
                   const io::ReadingPlan& plan = {{}, 1}) {
  io::CloudStream stream({path}, columns, io::NonFinite::drop, plan);
  NoProgress silent;
  KeptRows kept;
  Samples chunk;
  while (stream.read(chunk, 100, silent)) {
    kept.xyz.insert(kept.xyz.end(), chunk.xyz.begin(), chunk.xyz.end());
    kept.weights.insert(kept.weights.end(), chunk.weights.begin(), chunk.weights.end());
  }
  kept.counts = stream.counts();
  return kept;
}

}  // namespace

TEST_CASE("Rows are kept as 300 random conditions say", "[where]") {
  const std::vector<Row> rows = random_rows(60, 1);
  const TemporaryFile file("a.csv", table_of(rows));
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomCondition random(seed);
    const std::unique_ptr<Node> tree = random.tree(static_cast<int>(seed % 6));
    const std::string condition = random.write(*tree);
    INFO(condition);
    std::vector<double> expected;
    for (const Row& row : rows)
      if (holds(*tree, row)) expected.insert(expected.end(), {row.x, row.y, row.z});
    const KeptRows kept = kept_rows(file.path(), where(condition));
    CHECK(kept.xyz == expected);
    CHECK(kept.counts.rows == rows.size());
    CHECK(kept.counts.left_out == rows.size() - expected.size() / 3);
    CHECK(kept.counts.samples() == expected.size() / 3);
  }
}

TEST_CASE("Conditions are read alike in pieces, parts and from pipes", "[where]") {
  const std::vector<Row> rows = random_rows(5000, 2);
  const TemporaryFile file("a.csv", table_of(rows));
  io::ColumnSelection columns = where("kind != 'noise' && z > -1");
  columns.weight = "mag [Mw]";
  columns.where += " && `mag [Mw]` >= 0";
  const KeptRows one = kept_rows(file.path(), columns);
  std::vector<double> expected;
  std::uint64_t left_out = 0, weightless = 0;
  for (const Row& row : rows) {
    if (row.kind == "noise" || !(row.z > -1) || !(row.mag >= 0))
      ++left_out;
    else if (row.mag == 0)
      ++weightless;
    else
      expected.insert(expected.end(), {row.x, row.y, row.z});
  }
  CHECK(one.xyz == expected);
  CHECK(one.counts.left_out == left_out);
  CHECK(one.counts.zero_weight == weightless);
  CHECK(one.counts.non_finite == 0);
  const KeptRows pieces = kept_rows(file.path(), columns, {{}, 3, 1000});
  CHECK(pieces.xyz == one.xyz);
  CHECK(pieces.weights == one.weights);
  CHECK(pieces.counts.left_out == left_out);
  CHECK(read_pipe("a.csv", table_of(rows), columns, 7).xyz ==
        read_bytes("a.csv", table_of(rows), columns, 100).xyz);
  // A text that states its number of rows is divided by all of its rows, kept or not.
  std::string promised = "9000\n";
  for (int i = 0; i < 9000; ++i) promised += fmt::format("{} {} 0 {}\n", i, i % 7, i % 3);
  const TemporaryFile counted("a.xyz", promised);
  std::uint64_t found = 0, out = 0;
  for (std::uint64_t part = 0; part < 3; ++part) {
    const KeptRows some = kept_rows(counted.path(), where("#4 == 1 and y < 3"), {{part, 3}, 1});
    found += some.xyz.size() / 3;
    out += some.counts.left_out;
  }
  CHECK(found == 1286);  // of 9000 rows, those with i % 21 in {1, 7, 16}
  CHECK(out == 9000 - found);
}

TEST_CASE("Every kind of file has columns for conditions", "[where]") {
  const std::string values = stored<float>({1, 2, 3, 7, 4, 5, 6, 8, 9, 10, 11, 7});
  const std::string by_columns = stored<float>({1, 4, 9, 2, 5, 10, 3, 6, 11, 7, 8, 7});
  const auto npy = [](const char* order, const std::string& bytes) {
    const std::string entries =
        fmt::format("{{'descr': '<f4', 'fortran_order': {}, 'shape': (3, 4), }}", order);
    return std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + entries +
           std::string(117 - entries.size(), ' ') + "\n" + bytes;
  };
  const auto ply = [](const char* format, const std::string& more) {
    return fmt::format(
        "ply\nformat {} 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
        "z\nproperty float c\n{}end_header\n",
        format, more);
  };
  const std::string text = "1 2 3 7\n4 5 6 8\n9 10 11 7\n";
  const std::string pcd =
      "VERSION .7\nFIELDS x y z c\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 3\nHEIGHT 1\n"
      "POINTS 3\nDATA ";
  const std::string lists = "property list uchar int ids\n";
  const std::vector<std::pair<std::string, std::string>> files{
      {"c.ply", ply("binary_little_endian", "") + values},
      {"text.ply", ply("ascii", "") + text},
      {"lists.ply", ply("ascii", lists) + "1 2 3 7 0\n4 5 6 8 1 5\n9 10 11 7 0\n"},
      {"c.pcd", pcd + "binary\n" + values},
      {"text.pcd", pcd + "ascii\n" + text},
      {"c.xyz", text},
      {"c.csv", "x,y,z,c\n1,2,3,7\n4,5,6,8\n9,10,11,7\n"}};
  for (const auto& [name, bytes] : files) {
    const bool named = name != "c.xyz";
    io::ColumnSelection seven = where(named ? "c == 7" : "#4 = 7"),
                        between = where("z > 3 && z < 11");
    if (!named) seven.coordinates = between.coordinates = {"1", "2", "3"};  // or it may lie
    check_rows(name, bytes, {1, 2, 3, 9, 10, 11}, seven);
    check_rows(name, bytes, {4, 5, 6}, between);
  }
  // With three coordinates selected from three columns, shapes (3, N) may be transposed.
  io::ColumnSelection numbers = where("#4 != 8 and x > 1");
  numbers.coordinates = {"1", "2", "3"};
  check_rows("c.npy", npy("False", values), {9, 10, 11}, numbers);
  check_rows("fortran.npy", npy("True", by_columns), {9, 10, 11}, numbers);
  const std::string vtk =
      "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n1 2 3 4 5 6 9 "
      "10 11\n";
  check_rows("c.vtk", vtk, {9, 10, 11}, where("y >= 10"));
  check_error([&] { read_bytes("c.ply", files[0].second, where("c == 'seven'")); },
              ErrorKind::usage, {"c.ply: 'c' holds numbers", "'seven'", "[where]"});
}

TEST_CASE("Conditions go with categories, values, widths and tables", "[where]") {
  const TemporaryFile file("a.csv",
                           "x,y,z,kind,w,h,v\n1,0,0,a,2,3,5\n2,0,0,b,1,3,6\n3,0,0,c,4,5,7\n");
  io::ColumnSelection columns = where("kind >= 'b' && h <= 5");
  columns.category = "kind";
  columns.weight = "w";
  columns.widths = {"h"};
  columns.others = {"v"};
  io::CloudStream stream({file.path()}, columns, io::NonFinite::drop);
  NoProgress silent;
  Samples chunk;
  REQUIRE(stream.read(chunk, 10, silent));
  CHECK(chunk.xyz == std::vector<double>{2, 0, 0, 3, 0, 0});
  CHECK(chunk.weights == std::vector<double>{1, 4});
  CHECK(chunk.shapes == std::vector<double>{9, 0, 0, 9, 0, 9, 25, 0, 0, 25, 0, 25});
  CHECK(chunk.values == std::vector<double>{6, 7});
  CHECK(stream.categories().name(0) == "b");
  CHECK(stream.columns().where == columns.where);
  const io::PointTable table = io::read_point_table(file.path(), where("v != 6"), silent);
  CHECK(table.rows() == 2);
  CHECK(table.names == std::vector<std::string>{"x", "y", "z", "w", "h", "v"});
  CHECK(table.at(1, 5) == 7);
}

TEST_CASE("Rows that are left out are not looked at, and others keep their place", "[where]") {
  const std::string text = "x,y,z,w,c\n1,0,0,1,1\nnan,0,0,-1,2\n2,0,0,1,1\n3,0,0,-5,1\n";
  io::ColumnSelection columns = where("c == 1");
  columns.weight = "w";
  const TemporaryFile file("a.csv", text);
  check_error([&] { kept_rows(file.path(), columns); }, ErrorKind::input,
              {"line 5", "-5 is negative"});
  columns.where = "c == 1 && w > 0";
  CHECK(kept_rows(file.path(), columns).xyz == std::vector<double>{1, 0, 0, 2, 0, 0});
  CHECK(load({file.path()}, where("c == 1"), io::NonFinite::error).points.size() == 3);
}

TEST_CASE("Numbers of a condition are written as people write them", "[where]") {
  const TemporaryFile file("a.csv", "x,y,z\n-0.75,0,0\n-0.25,0,0\n0.25,0,0\n0.75,0,0\n");
  const auto least = [&](const std::string& number) {
    const KeptRows kept = kept_rows(file.path(), where("x >" + number));
    return kept.xyz.empty() ? 1 : kept.xyz[0];
  };
  for (const char* number : {" -.5", "-.5", " -0.5", "-5e-1", " -.5e+0"}) {
    INFO(number);
    CHECK(least(number) == -0.25);
  }
  for (const char* number : {" .5", ".5", " +.5", "+0.5", " 5.e-1", "+.05E1"}) {
    INFO(number);
    CHECK(least(number) == 0.75);
  }
}

TEST_CASE("Whole numbers of two columns and of lists are compared with all their digits",
          "[where]") {
  const TemporaryFile file("a.csv",
                           "x,y,z,a,b\n1,0,0,9007199254740993,9007199254740992\n"
                           "2,0,0,9007199254740993,9007199254740993\n"
                           "3,0,0,-9007199254740993,9007199254740994\n");
  const auto kept = [&](const std::string& text) {
    return kept_rows(file.path(), where(text)).xyz;
  };
  CHECK(kept("a > b") == std::vector<double>{1, 0, 0});
  CHECK(kept("a == b") == std::vector<double>{2, 0, 0});
  CHECK(kept("b in (9007199254740992, 9007199254740994)") == std::vector<double>{1, 0, 0, 3, 0, 0});
  CHECK(kept("a not in (-9007199254740993)") == std::vector<double>{1, 0, 0, 2, 0, 0});
}

TEST_CASE("Columns that a condition has and a file has not are named", "[where]") {
  const TemporaryFile file("a.csv", "x,y,z,classification\n1,2,3,4\n");
  check_error(
      [&] { kept_rows(file.path(), where("z > 1 && clasification == 2")); }, ErrorKind::usage,
      {"a.csv", "character 10", "'clasification'", "did you mean 'classification'?", "[where]"});
  check_error([&] { kept_rows(file.path(), where("z == quake")); }, ErrorKind::usage,
              {"character 6", "no column 'quake'", "quotes: 'quake'"});
  const TemporaryFile laser("c.csv", "x,y,z,gps_time\n1,2,3,4\n");
  check_error([&] { kept_rows(laser.path(), where("gps_time > 2020-01-31")); }, ErrorKind::usage,
              {"'gps_time' holds seconds of GPS time", "with a date", "[where]"});
  const TemporaryFile words("b.csv", "x,y,z,kind\n1,2,3,quake\n");
  check_error([&] { kept_rows(words.path(), where("kind == 4")); }, ErrorKind::input,
              {"line 2", "'quake'", "in quotes", "[where]"});
}

}  // namespace skde::test
