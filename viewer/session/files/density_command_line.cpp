#include "viewer/session/files/density_command_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <variant>

#include "estimate/fields/density_fields.hpp"
#include "io/points/columns/width_columns.hpp"

namespace skde::view {
namespace {

/// Replaces what a command line cannot say: a grid by its box and its cells, and a covariance by H.
void spell_out(DensityOptions& density, const std::optional<Symmetric3>& H) {
  DensityRequest& request = density.request;
  if (request.like) {
    request.grid.bounds = request.like->bounds();
    request.grid.dims = request.like->dims;
    request.grid.spacing.reset();
    request.like.reset();
  }
  if (request.bandwidth.covariance && H) {
    request.bandwidth = {};
    request.bandwidth.bandwidth = *H;
  }
}

/// Returns true if a flag would change nothing, which `skde density` refuses.
bool has_no_effect(std::string_view name, const DensityOptions& density) {
  const io::ColumnSelection& columns = density.files.columns;
  const BandwidthSpec& spec = density.request.bandwidth;
  const bool rule = std::holds_alternative<BandwidthRule>(spec.bandwidth);
  const bool factor = std::holds_alternative<double>(spec.bandwidth);
  const bool own = have_own_kernels(columns);
  if (name == "widths") return columns.widths_assumed;
  if (name == "width-form") return !columns.shaped();
  if (name == "min-width") return !columns.shaped() && !density.request.adaptive;
  if (name == "kernel") return io::are_gaussians(columns.widths);
  if (name == "bandwidth") return own;
  if (name == "covariance" || name == "regularize") return own || !(rule || factor);
  return false;
}

}  // namespace

std::vector<std::string> density_arguments(const ViewState& state,
                                           const std::optional<Symmetric3>& H,
                                           const std::string& output) {
  DensityOptions density = density_of(state);
  spell_out(density, H);
  std::vector<std::string> arguments{"density"};
  arguments.insert(arguments.end(), state.cloud.paths.begin(), state.cloud.paths.end());
  const DensityOptions defaults;
  for (const DensityField& field : density_fields()) {
    if ((field.targets & target::kGrid) == 0 || has_no_effect(field.text.name, density)) continue;
    const std::string text = field.print(density);
    if (text == field.print(defaults)) continue;
    const bool is_switch = field.text.value.empty();
    arguments.push_back("--" + field.text.name + (is_switch ? "" : "=" + text));
  }
  if (density.request.is_automatic() && density.request.device)
    arguments.push_back("--engine=" +
                        std::string(word_of(kHardwareWords, *density.request.device)));
  arguments.insert(arguments.end(), {"-o", output});
  return arguments;
}

}  // namespace skde::view
