#include "viewer/session/remedy.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "estimate/fields/density_fields.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/session/density_controls.hpp"

namespace skde::view {
namespace {

/// Returns the name of a density's field for a parameter such as min_width; empty if none has it.
std::string field_named(std::string_view parameter) {
  std::string name(parameter);
  std::ranges::replace(name, '_', '-');
  for (const DensityField& field : density_fields())
    if (field.text.name == name && (field.targets & target::kGrid) != 0) return name;
  return "";
}

bool is_placeholder(std::string_view value) {
  return std::ranges::any_of(value, [](unsigned char c) { return std::isupper(c) != 0; });
}

}  // namespace

ViewState remedied(const ViewState& state, const Remedy& remedy) {
  ViewState changed = state;
  DensityOptions density = density_of(state);
  density_field(remedy.field).set(density, remedy.value);
  // What the new value would contradict goes.
  if (remedy.field == "dims") density.request.grid.spacing.reset();
  if (remedy.field == "dims" || remedy.field == "bounds") density.request.like.reset();
  keep_density(std::move(density), changed);
  return changed;
}

std::vector<Remedy> remedies(const ErrorAdvice& advice, const ViewState& state) {
  std::vector<Remedy> found;
  with_parameters(advice.suggestion, [&](std::string_view name, std::string_view value) {
    Remedy remedy{field_named(name), std::string(value), control_name(name, value)};
    if (remedy.field.empty() || value.empty() || is_placeholder(value)) return "";
    try {
      if (!(remedied(state, remedy) == state)) found.push_back(std::move(remedy));
    } catch (const Error&) {
      return "";  // the value is an example that does not fit this state
    }
    return "";
  });
  return found;
}

}  // namespace skde::view
