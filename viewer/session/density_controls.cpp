#include "viewer/session/density_controls.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/options/density_options.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/read/covariance_file.hpp"

namespace skde::view {
namespace {

using State = ViewState;
using Text = std::string;

bool always(const State&) { return true; }

bool is_shaped(const State& state) { return state.cloud.columns.shaped(); }

/// Per-sample bandwidths that are not factors replace the common H.
bool has_common_h(const State& state) { return !have_own_kernels(state.cloud.columns); }

bool uses_covariance(const State& state) {
  if (!has_common_h(state)) return false;
  const BandwidthSpec& spec = state.density.bandwidth;
  const bool h = std::holds_alternative<double>(spec.bandwidth);
  if (!h && !std::holds_alternative<BandwidthRule>(spec.bandwidth)) return false;
  return !h || spec.form != CovarianceForm::iso;
}

bool is_adaptive_or_unshaped(const State& s) { return !is_shaped(s) || s.density.adaptive; }
bool has_own_widths(const State& s) { return is_shaped(s) || s.density.adaptive; }

constexpr std::array<TextControl, 6> kBandwidthControls{{
    {"as text", "auto", "A rule, h, three lengths, or H itself as 6 or 9 numbers", has_common_h,
     "bandwidth"},
    {"regularize", "0", "Share of the mean variance to add to S, for flat clouds", uses_covariance,
     "regularize"},
    {.name = "S of file",
     .hint = "of the samples",
     .explanation = "A text file of 3x3 numbers: S in H = h² S",
     .is_shown = uses_covariance,
     .text =
         [](const State& s) { return Text(s.density.bandwidth.covariance ? "(as given)" : ""); },
     .take =
         [](State& s, const Text& text) {
           BandwidthSpec& spec = s.density.bandwidth;
           if (text.empty()) return spec.covariance.reset();
           spec.covariance = read_covariance(text);
           spec.form = CovarianceForm::data;
         }},
    {"tolerance", "rounding errors only", "Allowed error for speed, as a share of the peak", always,
     "tolerance"},
    {"adaptive", "off",
     "Exponent alpha of Abramson's law for adaptive bandwidths; 0.5 is the square-root law",
     is_adaptive_or_unshaped, "adaptive"},
    {"width floor", "1",
     "Kernels with a smaller standard deviation, in cells, are widened to this one", has_own_widths,
     "min-width"},
}};

/// Forgets a grid that was taken from a file.
void forget_like(State& state) { state.density.like.reset(); }

/// Returns true if there is a box whose faces can bound the kernels.
bool has_box(const State& state) {
  return state.density.like || state.density.grid.bounds || has_boundary(state.density.boundaries);
}

constexpr std::array<TextControl, 4> kGridControls{{
    {"spacing", "from the cells", "Edge of a cell in world units, or its three edges", always,
     "spacing",
     [](State& s) {
       if (s.density.grid.spacing) s.density.grid.dims.reset();  // the two contradict each other
       forget_like(s);
     }},
    {.name = "grid of",
     .hint = "its own",
     .explanation = "A volume file whose exact grid to use",
     .is_shown = always,
     .text = [](const State& s) { return Text(s.density.like ? "(as given)" : ""); },
     .take =
         [](State& s, const Text& text) {
           if (text.empty()) return forget_like(s);
           s.density.like = cli::grid_like(text, std::nullopt);
           s.density.grid.bounds.reset();
         }},
    {"boundary", "none",
     "Kernels beyond the box: none, reflect, periodic or renormalize, along all axes or three "
     "X,Y,Z",
     has_box, "boundary"},
    {"cells hold", "centre", "Values at the centres of cells, or means over them: centre or mean",
     always, "cells"},
}};

bool is_on(const State& state, Device device) {
  if (state.density.is_automatic()) return state.density.device == device;
  return engine_entry(state.density.engine).traits.device == device;
}
bool is_on_cpu(const State& state) { return is_on(state, Device::cpu); }
bool is_on_gpu(const State& state) { return is_on(state, Device::cuda); }

constexpr std::array<TextControl, 3> kMachineControls{{
    {"threads", "one per core", "CPU threads of a CPU engine", is_on_cpu, "threads"},
    {"GPU", "0", "Index of the GPU of a CUDA engine", is_on_gpu, "device"},
    {"GPU memory", "free memory", "Limit on GPU memory in bytes, such as 2G", is_on_gpu,
     "device-memory"},
}};

constexpr std::array<TextControl, 9> kFileControls{{
    {"columns", "x, y, z or known alternatives",
     "Three names or numbers of columns, separated by commas", always, "columns"},
    {"weights", "all 1", "Name or number of a column", always, "weights"},
    {"widths", "none, except for Gaussians",
     "1, 3, 6 or 9 columns of per-sample bandwidths; auto; splat; mixture", always, "widths",
     [](State& s) {
       if (!is_shaped(s)) s.cloud.columns.width_form = io::WidthForm::length;
     }},
    {"factors", "length",
     "Meaning of a single column of widths: a length, or a factor on the common H", is_shaped,
     "width-form"},
    {"where", "every row", "Condition that rows must fulfil: classification == 2 && z > 10", always,
     "where"},
    {"geographic", "not degrees",
     "Conversion of coordinates in degrees: earth, tangent, east-north-depth or sky", always,
     "geographic"},
    {"skip lines", "0", "Lines to skip at the beginning of a text file", always, "skip"},
    {"units", "as in the columns' names", "Unit of the coordinates: m, km", always, "units"},
    {"bounds", "without far outliers",
     "Outer faces of the box: X0,Y0,Z0:X1,Y1,Z1; all: including outliers of the cloud", always,
     "bounds", forget_like},
}};

/// Parameters whose controls are no fields for text, and these controls' names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kOtherControls{
    {{"kernel", "kernel"},
     {"bandwidth", "bandwidth h"},
     {"covariance", "covariance"},
     {"dims", "cells"},
     {"like", "grid of"},
     {"engine", "engine"},
     {"precision", "precision"},
     {"normalize", "values"},
     {"keep-negatives", "below 0"},
     {"adaptive-alpha", "adaptive"},
     {"sharpen", "sharpen"},
     {"nan", "NaN rows"},
     {"members", "ellipsoids K"}}};

/// Returns the name of the control for a flag; empty if there is none.
std::string_view control_of(std::string_view flag) {
  for (const auto& [name, control] : kOtherControls)
    if (name == flag) return control;
  for (const auto controls :
       {bandwidth_controls(), grid_controls(), machine_controls(), file_controls()})
    for (const TextControl& control : controls)
      if (control.field != nullptr && control.field == flag) return control.name;
  return {};
}

std::string with_controls(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return with_parameters(text, control_name);
}

}  // namespace

std::span<const TextControl> bandwidth_controls() { return kBandwidthControls; }
std::span<const TextControl> grid_controls() { return kGridControls; }
std::span<const TextControl> machine_controls() { return kMachineControls; }
std::span<const TextControl> file_controls() { return kFileControls; }

std::string control_name(std::string_view parameter, std::string_view value) {
  std::string flag(parameter);
  std::ranges::replace(flag, '_', '-');
  const std::string_view control = control_of(flag);
  const std::string name = control.empty() ? "--" + flag : fmt::format("\u201c{}\u201d", control);
  return value.empty() ? name : fmt::format("{} {}", name, value);
}

std::string text_with_controls(const Error& error) { return with_controls(error.what()); }

std::string text_with_controls(const Warning& warning) {
  const std::string& suggestion = warning.advice.suggestion;
  return with_controls(suggestion.empty() ? warning.problem : warning.problem + "; " + suggestion);
}

}  // namespace skde::view
