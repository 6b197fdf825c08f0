#include "estimate/fields/density_fields.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "support/cases/random_request.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using Json = nlohmann::ordered_json;
using test::says;
using test::thrown_error;

namespace {

Json json_of(const DensityOptions& options) {
  Json json;
  put_options(json, options);
  return json;
}

DensityOptions read_back(const Json& json) {
  io::JsonObject object(json, "request.json");
  DensityOptions options;
  read_options(object, options);
  object.finish();
  return options;
}

/// Returns the error of a request with one key changed.
Error refusal(const char* pointer, const Json& value) {
  Json json = json_of({});
  json[Json::json_pointer(pointer)] = value;
  return thrown_error([&] { read_back(json); });
}

}  // namespace

TEST_CASE("a request comes back from JSON as it was") {
  std::mt19937 random(17);
  test::Choice choose(random);
  for (int i = 0; i < 500; ++i) {
    DensityOptions options;
    options.files = test::random_files(choose);
    options.request = test::random_request(choose);
    options.units = choose.coin() ? "km" : "\u00b5m (\"x\")";
    const DensityOptions back = read_back(Json::parse(json_of(options).dump()));
    CHECK(back.files == options.files);
    CHECK(back.request == options.request);
    CHECK(back.units == options.units);
  }
}

TEST_CASE("keys of a request that are missing take their defaults") {
  CHECK(read_back(Json::object()) == DensityOptions());
  DensityOptions expected;
  expected.request.bandwidth.bandwidth = 0.5;
  CHECK(read_back(Json{{"bandwidth", 0.5}}) == expected);
  CHECK(read_back(Json{{"bandwidth", "0.5"}}) == expected);
  CHECK(read_back(Json{{"engine", "auto"}}).request.is_automatic());
  CHECK(read_back(Json{{"adaptive", true}}).request.adaptive == 0.5);
  CHECK(read_back(Json{{"adaptive", 0.3}}).request.adaptive == 0.3);
  CHECK(read_back(Json{{"adaptive", false}}).request.adaptive == std::nullopt);
}

TEST_CASE("the default of each field is the one that its text states") {
  int stated = 0;
  for (const DensityField& field : density_fields()) {
    // "0, and 1e-6 for the Gaussian", "epanechnikov; gaussian for splats": the first is a value.
    std::string value = field.text.by_default;
    if (const auto end = value.find_first_of(",;"); end != value.npos) value.resize(end);
    const bool in_words = value.find(' ') != value.npos || field.text.name == "where" ||
                          field.text.name == "columns" || field.text.name == "threads" ||
                          field.text.name == "adaptive-alpha";
    if (!field.set || value.empty() || in_words) continue;
    DensityOptions options;
    INFO(field.text.name << " " << value);
    if (field.text.name == "dims") {
      field.set(options, value);
      CHECK(options.request.grid.dims == std::array<std::int64_t, 3>{kDefaultCells, 0, 0});
      continue;
    }
    field.set(options, value);
    CHECK(options == DensityOptions());
    CHECK(field.print(options).empty());
    ++stated;
  }
  CHECK(stated > 15);
  const std::span<const DensityField> fields = density_fields();
  const auto alpha = std::ranges::find_if(
      fields, [](const DensityField& field) { return field.text.name == "adaptive-alpha"; });
  REQUIRE(alpha != fields.end());
  DensityOptions adaptive;
  density_field("adaptive").set(adaptive, "true");
  CHECK(alpha->text.by_default ==
        fmt::format("{}, the square-root law", *adaptive.request.adaptive));
}

TEST_CASE("a wrong value of a request is refused by file and key") {
  struct Wrong {
    const char* pointer;
    Json value;
    const char* words;
  };
  const Wrong cases[]{
      {"/files", {1}, "'files' must be an array of strings"},
      {"/columns", {"a", "b"}, "'columns' must be empty or have three"},
      {"/bandwidth", -1, "'bandwidth' is invalid: must be finite and above 0; got '-1'"},
      {"/bandwidth", "silver", "must be auto"},
      {"/bandwidth", {1, 2, 0, 1, 0, 1}, "must be positive definite; got '1,2,0,1,0,1'"},
      {"/bandwidth", {1, 2}, "or a matrix of 6 or 9 numbers; got '1,2'"},
      {"/bounds", {{0, 0, 0}, {1, 0, 1}}, "y0 must be finite and below y1"},
      {"/dims", {0, 0, 0}, "'dims' must hold at least one cell"},
      {"/dims", {4, 4, 0}, "'dims' must hold at least one cell"},
      {"/dims", {4.5, 0, 0}, "'dims' must be an integer"},
      {"/like", {{"dims", {1, 1, 1}}}, "'like.lower' is missing"},
      {"/threads", -1, "must be an integer from 1 to 4096; got '-1'"},
      {"/device", {2, 0, 2}, "a list of different indices; got '2,0,2'"},
      {"/device", {0, -1}, "a list of different indices; got '0,-1'"},
      {"/device_memory", 1e30, "must be a size in bytes, such as 500M, 2G or 2GiB; got '1e+30'"},
      {"/bandwidth", {1, 2, -3}, "must be finite and above 0; got '1,2,-3'"},
      {"/kernel", "gaus", "'kernel' is invalid: unknown kernel 'gaus'"},
      {"/tolerance", 2, "must be at most 0.1 of the peak; got '2'"},
      {"/hardware", "gpu", "unknown value 'gpu'"},
      {"/precision", 32, "unknown value '32'"},
      {"/nan", "keep", "unknown value 'keep'"},
      {"/dim", 4, "'dim' is not a known key; did you mean 'dims'"},
  };
  for (const Wrong& wrong : cases) {
    const Error error = refusal(wrong.pointer, wrong.value);
    INFO(wrong.pointer << ": " << error.what());
    CHECK(error.kind() == ErrorKind::input);
    CHECK(says(error, "request.json: "));
    CHECK(says(error, wrong.words));
  }
}
