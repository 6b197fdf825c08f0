#include "core/space/grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/name_list.hpp"
#include "core/report/nearest_name.hpp"

namespace skde {
namespace {

Boundary boundary_named(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(kBoundaries.size());
  for (const auto& [word, meaning] : kBoundaries) {
    if (word == name) return meaning;
    names.push_back(word);
  }
  const std::string_view nearest = nearest_name(name, names);
  throw Error(
      ErrorKind::usage,
      fmt::format("boundary must be none, reflect, periodic, renormalize or linear; got '{}'",
                  name),
      {"boundary", nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest)});
}

}  // namespace

bool has_boundary(const Boundaries& boundaries) {
  return std::ranges::any_of(boundaries, [](Boundary b) { return b != Boundary::none; });
}

bool divides(const Boundaries& boundaries) {
  return std::ranges::find(boundaries, Boundary::renormalize) != boundaries.end();
}

bool is_linear(const Boundaries& boundaries) {
  return std::ranges::find(boundaries, Boundary::linear) != boundaries.end();
}

Boundaries parse_boundaries(std::string_view text) {
  const std::vector<std::string> words = parse_names(std::string(text));
  if (words.size() != 1 && words.size() != 3)
    throw Error(ErrorKind::usage, fmt::format("must be one word, or three X,Y,Z; got '{}'", text),
                {"boundary",
                 "give one word for all axes or one for each, such as "
                 "`boundary=periodic,none,reflect`"});
  Boundaries boundaries{};
  for (std::size_t axis = 0; axis < boundaries.size(); ++axis)
    boundaries[axis] = boundary_named(words[words.size() == 1 ? 0 : axis]);
  return boundaries;
}

std::string boundaries_text(const Boundaries& boundaries) {
  const auto& [x, y, z] = boundaries;
  if (x == y && y == z) return std::string(word_of(kBoundaries, x));
  return fmt::format("{},{},{}", word_of(kBoundaries, x), word_of(kBoundaries, y),
                     word_of(kBoundaries, z));
}

}  // namespace skde
