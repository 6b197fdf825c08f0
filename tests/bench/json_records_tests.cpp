#include "bench/results/json_records.hpp"

#include <array>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/thrown_error.hpp"

namespace skde::bench {
namespace {

enum class Mood { calm, cross };

struct Leaf {
  std::string name;
  std::optional<double> size;
};

struct Tree {
  std::uint64_t rings = 0;
  int age = 0;
  double height = 0;
  bool green = false;
  Mood mood = Mood::calm;
  std::array<double, 3> place{};
  std::vector<double> widths;
  std::vector<Leaf> leaves;
  Leaf crown;
};

constexpr std::array<std::string_view, 2> kMoods{"calm", "cross"};
[[maybe_unused]] const auto& names_of(Mood) { return kMoods; }

void each_field(auto& visit, SameRecord<Leaf> auto& leaf) {
  visit.may_lack("name", leaf.name);
  visit("size", leaf.size);
}

void each_field(auto& visit, SameRecord<Tree> auto& t) {
  visit("rings", t.rings)("age", t.age)("height", t.height)("green", t.green)("mood", t.mood);
  visit("place", t.place)("widths", t.widths)("leaves", t.leaves)("crown", t.crown);
}

void check_record(const JsonObject& object, const Tree& tree) {
  if (tree.leaves.empty()) object.fail("leaves", "has fallen");
}

const std::string kText =
    R"({"rings":18446744073709551,"age":4,"height":2.5,"green":true,"mood":"cross",)"
    R"("place":[1.0,2.0,3.0],"widths":[0.5],"leaves":[{"name":"a"},{"size":4.0}],"crown":{}})";

Tree tree_of(const std::string& text) {
  const auto json = io::parse_json(text, "tree.json");
  Tree tree;
  RecordReader::read(JsonObject(json, "tree.json"), tree);
  return tree;
}

/// Returns the message for the text with `part` replaced.
std::string message(const std::string& part, const std::string& now) {
  std::string text = kText;
  text.replace(text.find(part), part.size(), now);
  const Error error = test::thrown_error([&] { tree_of(text); });
  CHECK(error.kind() == ErrorKind::input);
  return error.what();
}

}  // namespace

TEST_CASE("a record comes back from JSON as it was") {
  const Tree tree = tree_of(kText);
  CHECK(tree.rings == 18446744073709551);
  CHECK(tree.mood == Mood::cross);
  CHECK(tree.place == std::array<double, 3>{1, 2, 3});
  REQUIRE(tree.leaves.size() == 2);
  CHECK(tree.leaves[0].name == "a");
  CHECK_FALSE(tree.leaves[0].size);
  CHECK(tree.leaves[1].size == 4);
  CHECK(RecordWriter::written(tree).dump() == kText);
}

TEST_CASE("what a record cannot be is told by file and field") {
  CHECK(message("\"height\":2.5,", "") == "tree.json: 'height' is missing");
  CHECK(message("\"age\":4", "\"age\":4,\"agee\":1").find("'agee' is not a known key") !=
        std::string::npos);
  CHECK(message("2.5", "-2.5").find("'height' must be a number of at least 0") !=
        std::string::npos);
  CHECK(message("2.5", "\"2\"").find("'height' must be a number") != std::string::npos);
  CHECK(message("4,", "3000000000,").find("'age' must be an integer") != std::string::npos);
  CHECK(message("18446744073709551", "1.5").find("'rings' must be an integer") !=
        std::string::npos);
  CHECK(message("cross", "crosss").find("'mood' cannot be 'crosss'; did you mean 'cross'") !=
        std::string::npos);
  CHECK(message("[1.0,2.0,3.0]", "[1,2]").find("'place' must be an array of 3") !=
        std::string::npos);
  CHECK(message("[0.5]", "[0.5,-1]").find("'widths' must be numbers of at least 0") !=
        std::string::npos);
  CHECK(message("[0.5]", "0.5").find("'widths' must be an array") != std::string::npos);
  CHECK(message("4.0", "true").find("'leaves[1].size' must be a number") != std::string::npos);
  CHECK(message("{\"name\":\"a\"}", "3").find("'leaves[0]' must be an object") !=
        std::string::npos);
  CHECK(message("{}}", "{\"nam\":\"b\"}}").find("'crown.nam' is not a known key") !=
        std::string::npos);
  CHECK(message("[{\"name\":\"a\"},{\"size\":4.0}]", "[]") == "tree.json: 'leaves' has fallen");
  CHECK(message("true", "1").find("'green' must be true or false") != std::string::npos);
}

}  // namespace skde::bench
