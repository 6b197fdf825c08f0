#include "viewer/ui/panels/text_controls.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>

#include "cli/options/density_options.hpp"
#include "core/report/error.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/fields/density_fields.hpp"
#include "estimate/read/covariance_file.hpp"
#include "viewer/session/control_names.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

using State = ViewState;
using Text = std::string;

bool always(const State&) { return true; }

bool is_shaped(const State& state) { return state.cloud.columns.shaped(); }

/// Per-sample bandwidths that are not factors replace the common H.
bool has_common_h(const State& state) {
  return !is_shaped(state) || state.cloud.columns.width_form == io::WidthForm::factor;
}

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

constexpr std::array<TextControl, 3> kGridControls{{
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

Text text_of(const TextControl& control, const State& state) {
  return control.text ? control.text(state) : density_field(control.field).print(density_of(state));
}

void take_text(const TextControl& control, State& state, const Text& text) {
  if (control.take) return control.take(state, text);
  DensityOptions options = density_of(state);
  density_field(control.field).set(options, text);
  keep_density(std::move(options), state);
  if (control.then) control.then(state);
}

/// Returns the new text once the user has finished typing it.
std::optional<Text> typed_text(const TextControl& control, const Text& present) {
  begin_row(control.name, control.explanation);
  Text wanted = present;
  const Text id = fmt::format("##{}", control.name);
  const bool changed = ImGui::InputTextWithHint(id.c_str(), control.hint, &wanted);
  if (!changed || is_being_typed() || wanted == present) return std::nullopt;
  return wanted;
}

}  // namespace

std::span<const TextControl> bandwidth_controls() { return kBandwidthControls; }
std::span<const TextControl> grid_controls() { return kGridControls; }
std::span<const TextControl> machine_controls() { return kMachineControls; }
std::span<const TextControl> file_controls() { return kFileControls; }

void draw_text_controls(std::span<const TextControl> controls, ViewState& state,
                        PanelActions& actions) {
  for (const TextControl& control : controls) {
    if (!control.is_shown(state)) continue;
    const std::optional<Text> text = typed_text(control, text_of(control, state));
    if (!text) continue;
    try {
      take_text(control, state, *text);
    } catch (const Error& error) {
      actions.complaint =
          fmt::format("\u201c{}\u201d: {}", control.name, text_with_controls(error));
    }
  }
}

}  // namespace skde::view::ui
