#include "estimate/request_json.hpp"

#include <catch2/catch.hpp>

#include "support/cases/random_request.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using Json = nlohmann::ordered_json;
using test::says;
using test::thrown_error;

namespace {

template <class Request>
Json json_of(const Request& request) {
  Json json;
  put(json, request);
  return json;
}

template <class Request>
Request read_back(const Json& json) {
  io::JsonObject object(json, "request.json");
  Request request;
  read(object, request);
  object.finish();
  return request;
}

/// The error of a request with one key changed.
Error refusal(const char* pointer, const Json& value) {
  Json json;
  put(json, CloudFiles());
  put(json, DensityRequest());
  json[Json::json_pointer(pointer)] = value;
  io::JsonObject object(json, "request.json");
  CloudFiles cloud;
  DensityRequest request;
  return thrown_error([&] {
    read(object, cloud);
    read(object, request);
    object.finish();
  });
}

}  // namespace

TEST_CASE("a request comes back from JSON as it was") {
  std::mt19937 random(17);
  test::Choice choose(random);
  for (int i = 0; i < 500; ++i) {
    const CloudFiles cloud = test::random_files(choose);
    CHECK(read_back<CloudFiles>(Json::parse(json_of(cloud).dump())) == cloud);
    const DensityRequest request = test::random_request(choose);
    CHECK(read_back<DensityRequest>(Json::parse(json_of(request).dump())) == request);
  }
}

TEST_CASE("keys of a request that are missing take their defaults") {
  CHECK(read_back<DensityRequest>(Json::object()) == DensityRequest());
  CHECK(read_back<CloudFiles>(Json::object()) == CloudFiles());
  DensityRequest expected;
  expected.bandwidth.bandwidth = 0.5;
  CHECK(read_back<DensityRequest>(Json{{"bandwidth", 0.5}}) == expected);
  CHECK(read_back<DensityRequest>(Json{{"engine", "auto"}}).is_automatic());
}

TEST_CASE("a wrong value of a request is refused by file and key") {
  struct Wrong {
    const char* pointer;
    Json value;
    const char* words;
  };
  const Wrong cases[]{
      {"/files", {1}, "'files' must be an array of texts"},
      {"/columns", {"a", "b"}, "'columns' must be empty or have three"},
      {"/bandwidth", -1, "'bandwidth' must be above 0"},
      {"/bandwidth", "silver", "'bandwidth' cannot be 'silver'"},
      {"/bandwidth", {1, 2, 0, 1, 0, 1}, "'bandwidth' must be positive definite"},
      {"/bandwidth", {1, 2}, "'bandwidth' must be an array of 3 numbers"},
      {"/bounds", {{0, 0, 0}, {1, 0, 1}}, "'bounds' must have its first corner below"},
      {"/dims", {0, 0, 0}, "'dims' must have at least a cell"},
      {"/dims", {4, 4, 0}, "'dims' must have at least a cell"},
      {"/dims", {4.5, 0, 0}, "'dims' must be a whole number"},
      {"/like", {{"dims", {1, 1, 1}}}, "'like.lower' is missing"},
      {"/threads", -1, "'threads' must be a whole number from 0 to 4096"},
      {"/device", {1}, "'device' must be an index, or an array of several"},
      {"/device", {2, 0, 2}, "'device' names an index twice"},
      {"/device", {0, -1}, "'device' must be a whole number"},
      {"/device_memory", 1e30, "'device_memory' must be a whole number"},
      {"/bandwidth", {1, 2, -3}, "'bandwidth' must be lengths above 0"},
      {"/kernel", "gaus", "'kernel' cannot be 'gaus'"},
      {"/tolerance", 2, "'tolerance' must be a number from 0 to 1"},
      {"/hardware", "gpu", "'hardware' cannot be 'gpu'"},
      {"/precision", 32, "'precision' cannot be 'number'"},
      {"/nan", "keep", "'nan' cannot be 'keep'"},
      {"/dim", 4, "'dim' is no key that this version knows; did you mean 'dims'"},
  };
  for (const Wrong& wrong : cases) {
    const Error error = refusal(wrong.pointer, wrong.value);
    INFO(wrong.pointer << ": " << error.what());
    CHECK(error.kind() == ErrorKind::input);
    CHECK(says(error, "request.json: "));
    CHECK(says(error, wrong.words));
  }
}
