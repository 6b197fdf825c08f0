#include "engines/registry/registry.hpp"

#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;

namespace {

/// Checks that making this engine throws an Error of this kind, and returns its message.
std::string refusal(std::string_view name, ErrorKind kind) {
  const Error error = test::thrown_error([&] { make_engine(name, {}); });
  CHECK(error.kind() == kind);
  CHECK(error.parameter() == "engine");
  return error.what();
}

}  // namespace

TEST_CASE("an unknown engine is refused with the nearest name", "[registry]") {
  const std::string message = refusal("openpm", ErrorKind::usage);
  CHECK(message.find("unknown engine 'openpm'; did you mean 'openmp'?") != std::string::npos);
  for (const EngineEntry& entry : engine_table())
    CHECK(message.find(entry.traits.name) != std::string::npos);
}

TEST_CASE("an unavailable engine says why", "[registry]") {
  for (const EngineEntry& entry : engine_table()) {
    const std::string reason = entry.unavailable();
    if (entry.traits.device == Device::cpu && entry.traits.name != "spectral")
      CHECK(reason.empty());  // spectral is a build option
    if (reason.empty()) continue;
    const std::string message = refusal(entry.traits.name, ErrorKind::resources);
    CHECK(message.find(reason) != std::string::npos);
    CHECK(message.find(entry.traits.name) != std::string::npos);
  }
}

TEST_CASE("the names of the engines differ and their promises are positive", "[registry]") {
  std::vector<std::string_view> names;
  for (const EngineEntry& entry : engine_table()) {
    names.push_back(entry.traits.name);
    CHECK(entry.traits.error_f32 > 0);
    CHECK(entry.traits.error_f64 < entry.traits.error_f32);
    CHECK_FALSE(entry.traits.summary.empty());
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}
