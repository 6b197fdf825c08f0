#include "cli/results/result_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/report/words.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::cli;
using Json = nlohmann::ordered_json;

namespace skde::cli {

enum class Paint { red, blue };
constexpr Words<Paint, 2> kPaints{{{"red", Paint::red}, {"blue", Paint::blue}}};
template <>
inline constexpr const auto& kWordsOf<Paint> = kPaints;

struct Wheel {
  double radius = 0;
};
void add_fields(Fields<Wheel>& add) {
  add.name("wheel");
  add("radius", "in metres", &Wheel::radius);
}

struct Cart {
  std::string owner;
  Paint colour = Paint::blue;
  std::vector<Wheel> wheels;
  std::optional<double> load;
  std::optional<Wheel> spare;
  bool covered = false;
};
void add_fields(Fields<Cart>& add) {
  add.name("cart", "tool cart --json");
  add("owner", [](auto& cart) { return OrNull{cart.owner}; });
  add.line("owner", [](auto& cart) { return cart.owner; });
  add("colour", &Cart::colour);
  add("wheels", &Cart::wheels);
  add("load", &Cart::load);
  add("spare", [](auto& cart) { return LeftOut{cart.spare}; });
  add.object("top", [](auto& part) { part("covered", &Cart::covered); });
  add.lines([](auto& report, auto& cart) { report.line("top", cart.covered ? "yes" : "no"); });
}

}  // namespace skde::cli

namespace {

/// Returns whether a value has this JSON Schema type.
bool is_of(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  return type == "null" && value.is_null();
}

/// Returns whether a value satisfies a schema, as far as the keywords that result tables use.
bool keeps_to(const Json& value, const Json& schema, const Json& types) {
  if (schema.contains("$ref"))
    return keeps_to(value, types.at(schema["$ref"].get<std::string>().substr(8)), types);
  if (schema.contains("const")) return value == schema["const"];
  if (schema.contains("enum"))
    return std::ranges::find(schema["enum"], value) != schema["enum"].end();
  const Json& type = schema.at("type");
  if (!(type.is_string() ? is_of(value, type.get<std::string>())
                         : is_of(value, type[0].get<std::string>()) || value.is_null()))
    return false;
  if (schema.contains("items"))
    return std::ranges::all_of(
        value, [&](const Json& item) { return keeps_to(item, schema["items"], types); });
  if (!schema.contains("properties")) return true;
  for (const Json& name : schema["required"])
    if (!value.contains(name.get<std::string>())) return false;
  for (const auto& [name, member] : value.items())
    if (!keeps_to(member, schema["properties"].at(name), types)) return false;
  return true;
}

Json schema_of_carts() { return schema_of_documents(std::array{&result_table<Cart>()}); }

bool is_valid(const Json& document) {
  const Json schema = schema_of_carts();
  return keeps_to(document, schema["oneOf"][0], schema["$defs"]);
}

}  // namespace

TEST_CASE("documents: the schema of a table is that of its values") {
  const Cart full{"Ann", Paint::red, {{0.5}, {0.5}}, 80.0, Wheel{0.4}, true};
  const Json document = document_json(full);
  CHECK(is_valid(document));
  CHECK(is_valid(document_json(Cart{})));
  Json wrong = document;
  wrong["colour"] = "green";
  CHECK_FALSE(is_valid(wrong));
  wrong = document;
  wrong["wheels"][1]["radius"] = "wide";
  CHECK_FALSE(is_valid(wrong));
  wrong = document;
  wrong.erase("load");
  CHECK_FALSE(is_valid(wrong));
}

TEST_CASE("documents: a table says what is null, what is left out and what people are told") {
  const Json document = document_json(Cart{});
  CHECK(document.dump() ==
        R"({"schema_version":1,"kind":"cart","owner":null,"colour":"blue","wheels":[],"load":null,)"
        R"("top":{"covered":false}})");
  const Json cart = schema_of_carts()["$defs"]["cart"];
  CHECK(cart["description"] == "tool cart --json");
  CHECK(cart["required"] ==
        Json({"schema_version", "kind", "owner", "colour", "wheels", "load", "top"}));
  CHECK(cart["properties"]["wheels"]["items"]["$ref"] == "#/$defs/wheel");
  CHECK(show_result({}, Cart{}).report == "  top  no\n");
  Cart owned;
  owned.owner = "Ann";
  CHECK(show_result({}, owned).report == "  owner  Ann\n  top    no\n");
}

TEST_CASE("documents: a value comes back from its JSON by the same table") {
  const Cart full{"Ann", Paint::red, {{0.5}, {0.25}}, 80.0, Wheel{0.4}, true};
  for (const Cart& cart : {full, Cart{}}) {
    const Cart back = read_as<Cart>(Json::parse(document_json(cart).dump()));
    CHECK(back.owner == cart.owner);
    CHECK(back.colour == cart.colour);
    CHECK(back.wheels.size() == cart.wheels.size());
    CHECK(back.load == cart.load);
    CHECK(back.covered == cart.covered);
    CHECK_FALSE(back.spare);  // which is left out, and so may not be there
  }
  CHECK(std::isinf(read_as<Wheel>(Json{{"radius", nullptr}}).radius));
  using Choice = std::variant<std::false_type, Wheel, std::vector<double>>;
  CHECK(std::get<Wheel>(read_as<Choice>(Json{{"radius", 2}})).radius == 2);
  CHECK(std::get<std::vector<double>>(read_as<Choice>(Json{1, 2})).back() == 2);
  CHECK_THROWS_AS(read_as<Choice>(Json("wheel")), Error);
  Json wrong = document_json(full);
  wrong["colour"] = "green";
  CHECK_THROWS_AS(read_as<Cart>(wrong), Error);
  wrong.erase("colour");
  CHECK_THROWS_AS(read_as<Cart>(wrong), Json::exception);
}
