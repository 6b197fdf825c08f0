#include "viewer/ui/text_controls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>

#include "cli/options/byte_size.hpp"
#include "cli/options/covariance_file.hpp"
#include "cli/options/density_options.hpp"
#include "cli/options/width_options.hpp"
#include "core/report/error.hpp"
#include "engines/registry.hpp"
#include "viewer/session/control_names.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

using State = ViewState;
using Text = std::string;

bool always(const State&) { return true; }

/// "0.5,0.25,2", with as many digits as tell the numbers.
template <class... Number>
Text joined(Number... numbers) {
  Text text;
  ((text += fmt::format("{}{}", text.empty() ? "" : ",", numbers)), ...);
  return text;
}
Text joined_vector(Vec3 v) { return joined(v.x, v.y, v.z); }

struct BandwidthText {
  Text operator()(BandwidthRule rule) const { return Text(word_of(kBandwidthRules, rule)); }
  Text operator()(double h) const { return fmt::format("{}", h); }
  Text operator()(Vec3 lengths) const { return joined_vector(lengths); }
  Text operator()(const Symmetric3& H) const { return joined(H.xx, H.xy, H.xz, H.yy, H.yz, H.zz); }
};

bool is_shaped(const State& state) { return state.cloud.columns.shaped(); }

/// Widths that are no factors replace the common H.
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

constexpr std::array<TextControl, 6> kBandwidthControls{{
    {"as text", "silverman", "A rule, h, three lengths, or H itself as 6 or 9 numbers",
     [](const State& s) { return std::visit(BandwidthText{}, s.density.bandwidth.bandwidth); },
     [](State& s, const Text& text) {
       s.density.bandwidth.bandwidth =
           text.empty() ? decltype(BandwidthSpec::bandwidth)(BandwidthRule::silverman)
                        : parse_bandwidth(text);
     },
     has_common_h},
    {"regularize", "0", "Adds this share of the mean variance to S, for flat clouds",
     [](const State& s) {
       const double share = s.density.bandwidth.regularize;
       return share > 0 ? fmt::format("{}", share) : Text();
     },
     [](State& s, const Text& text) {
       s.density.bandwidth.regularize = text.empty() ? 0 : cli::RealNumber(0)(text);
     },
     uses_covariance},
    {"S of file", "of the samples", "A text file of 3x3 numbers: S in H = h² S",
     [](const State& s) { return Text(s.density.bandwidth.covariance ? "(as given)" : ""); },
     [](State& s, const Text& text) {
       BandwidthSpec& spec = s.density.bandwidth;
       if (text.empty()) return spec.covariance.reset();
       spec.covariance = cli::read_covariance(text);
       spec.form = CovarianceForm::data;
     },
     uses_covariance},
    {"tolerance", "by rounding alone",
     "What values may be off by for speed, as a share of the peak",
     [](const State& s) {
       const double share = s.density.tolerance;
       return share > 0 ? fmt::format("{}", share) : Text();
     },
     [](State& s, const Text& text) {
       s.density.tolerance = text.empty() ? 0 : cli::parse_tolerance(text);
     },
     always},
    {"adaptive", "off",
     "Alpha of Abramson's law, 0.5: widths that follow from the density at samples",
     [](const State& s) {
       return s.density.adaptive ? fmt::format("{}", *s.density.adaptive) : Text();
     },
     [](State& s, const Text& text) {
       s.density.adaptive =
           text.empty() ? std::optional<double>() : std::optional(cli::parse_alpha(text));
     },
     [](const State& s) { return !is_shaped(s) || s.density.adaptive; }},
    {"least width", "1", "Deviation in cells that thinner kernels of samples' own are widened to",
     [](const State& s) { return fmt::format("{}", s.density.min_width); },
     [](State& s, const Text& text) {
       s.density.min_width = text.empty() ? 1 : cli::RealNumber(0)(text);
     },
     [](const State& s) { return is_shaped(s) || s.density.adaptive; }},
}};

/// The parts of a grid that a given one replaces.
void forget_like(State& state) { state.density.like.reset(); }

/// Faces that kernels can be kept in by.
bool has_box(const State& state) { return state.density.like || state.density.grid.bounds; }

constexpr std::array<TextControl, 3> kGridControls{{
    {"spacing", "from the cells", "Edge of a cell in world units, or its three edges",
     [](const State& s) {
       const std::optional<Vec3>& edges = s.density.grid.spacing;
       return edges ? joined_vector(*edges) : Text();
     },
     [](State& s, const Text& text) {
       std::optional<Vec3> edges;
       if (!text.empty()) edges = parse_spacing(text);
       s.density.grid.spacing = edges;
       if (edges) s.density.grid.dims.reset();  // the two would contradict each other
       forget_like(s);
     },
     always},
    {"grid of", "its own", "A volume file whose very grid is taken",
     [](const State& s) { return Text(s.density.like ? "(as given)" : ""); },
     [](State& s, const Text& text) {
       if (text.empty()) return forget_like(s);
       s.density.like = cli::grid_like(text, std::nullopt);
       s.density.grid.bounds.reset();
     },
     always},
    {"boundary", "none",
     "Kernels beyond the box: reflect, periodic or renormalize, along all axes or three X,Y,Z",
     [](const State& s) {
       return has_boundary(s.density.boundaries) ? boundaries_text(s.density.boundaries) : Text();
     },
     [](State& s, const Text& text) {
       s.density.boundaries = text.empty() ? Boundaries{} : parse_boundaries(text);
     },
     [](const State& s) { return has_box(s) || has_boundary(s.density.boundaries); }},
}};

bool is_on(const State& state, Device device) {
  if (state.density.is_automatic()) return state.density.device == device;
  return engine_entry(state.density.engine).traits.device == device;
}

constexpr std::array<TextControl, 3> kMachineControls{{
    {"threads", "one a core", "CPU threads of a CPU engine",
     [](const State& s) {
       return s.density.options.threads > 0 ? fmt::format("{}", s.density.options.threads) : Text();
     },
     [](State& s, const Text& text) {
       s.density.options.threads =
           text.empty() ? 0 : static_cast<int>(cli::WholeNumber(1, 4096)(text));
     },
     [](const State& s) { return is_on(s, Device::cpu); }},
    {"GPU", "0", "Index of the GPU of a CUDA engine",
     [](const State& s) {
       return s.density.options.device > 0 ? fmt::format("{}", s.density.options.device) : Text();
     },
     [](State& s, const Text& text) {
       constexpr std::uint64_t kMost = 4096;
       s.density.options.device =
           text.empty() ? 0 : static_cast<int>(cli::WholeNumber(0, kMost)(text));
     },
     [](const State& s) { return is_on(s, Device::cuda); }},
    {"GPU memory", "what is free", "Bytes of its memory to stay within, as 2G",
     [](const State& s) {
       const std::int64_t bytes = s.density.options.device_memory;
       return bytes > 0 ? fmt::format("{}", bytes) : Text();
     },
     [](State& s, const Text& text) {
       s.density.options.device_memory = text.empty() ? 0 : cli::parse_bytes(text);
     },
     [](const State& s) { return is_on(s, Device::cuda); }},
}};

constexpr std::array<TextControl, 9> kFileControls{{
    {"columns", "x, y, z or alike", "Three names or numbers of columns, with commas between them",
     [](const State& s) {
       const std::vector<std::string>& names = s.cloud.columns.coordinates;
       return names.size() == 3 ? joined(names[0], names[1], names[2]) : Text();
     },
     [](State& s, const Text& text) {
       s.cloud.columns.coordinates =
           text.empty() ? std::vector<std::string>() : cli::parse_columns(text);
     },
     always},
    {"weights", "all 1", "Name or number of a column",
     [](const State& s) { return s.cloud.columns.weight; },
     [](State& s, const Text& text) { s.cloud.columns.weight = text; }, always},
    {"widths", "none, but of splats", "1, 3, 6 or 9 columns of a width a sample; auto; splat",
     [](const State& s) { return fmt::format("{}", fmt::join(s.cloud.columns.widths, ",")); },
     [](State& s, const Text& text) {
       s.cloud.columns.widths =
           text.empty() ? std::vector<std::string>() : cli::parse_width_columns(text);
       if (text.empty()) s.cloud.columns.width_form = io::WidthForm::length;
     },
     always},
    {"factors", "length", "What one column of widths is: a length, or a factor on the common H",
     [](const State& s) { return Text(word_of(io::kWidthForms, s.cloud.columns.width_form)); },
     [](State& s, const Text& text) {
       s.cloud.columns.width_form =
           text.empty() ? io::WidthForm::length : cli::OneOf<io::WidthForm>(io::kWidthForms)(text);
     },
     is_shaped},
    {"where", "every row", "Rows that are kept: classification == 2 && z > 10",
     [](const State& s) { return s.cloud.columns.where; },
     [](State& s, const Text& text) {
       s.cloud.columns.where = text.empty() ? Text() : cli::parse_where(text);
     },
     always},
    {"geographic", "no degrees", "Of coordinates in degrees: earth, tangent or sky",
     [](const State& s) { return io::geographic_text(s.cloud.columns.geographic); },
     [](State& s, const Text& text) {
       s.cloud.columns.geographic = text.empty() ? io::Geographic{} : io::parse_geographic(text);
     },
     always},
    {"skip lines", "0", "Lines at the beginning of a text that are passed over",
     [](const State& s) {
       const std::uint64_t skip = s.cloud.columns.skip;
       return skip > 0 ? fmt::format("{}", skip) : Text();
     },
     [](State& s, const Text& text) {
       s.cloud.columns.skip = text.empty() ? 0 : cli::WholeNumber(0, std::uint64_t{1} << 40)(text);
     },
     always},
    {"units", "as columns name them", "Of the coordinates: m, km",
     [](const State& s) { return s.units; }, [](State& s, const Text& text) { s.units = text; },
     always},
    {"bounds", "without far outliers",
     "Outer faces of the box: X0,Y0,Z0:X1,Y1,Z1; all: outliers of the cloud, too",
     [](const State& s) {
       if (s.density.grid.whole_cloud) return Text("all");
       const std::optional<Box>& box = s.density.grid.bounds;
       return box ? joined_vector(box->lower) + ":" + joined_vector(box->upper) : Text();
     },
     [](State& s, const Text& text) {
       GridSpec& grid = s.density.grid;
       std::optional<Box> box;
       if (!text.empty() && text != "all") box = parse_bounds(text);
       grid.bounds = box;
       grid.whole_cloud = text == "all";
       forget_like(s);
     },
     always},
}};

/// The new text once it is typed to its end.
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
    const std::optional<Text> text = typed_text(control, control.text(state));
    if (!text) continue;
    try {
      control.take(state, *text);
    } catch (const Error& error) {
      actions.complaint =
          fmt::format("\u201c{}\u201d: {}", control.name, text_with_controls(error));
    }
  }
}

}  // namespace skde::view::ui
