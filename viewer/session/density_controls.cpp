#include "viewer/session/density_controls.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/options/density_options.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/fields/density_fields.hpp"
#include "estimate/read/covariance_file.hpp"
#include "io/points/columns/width_columns.hpp"
#include "viewer/session/view_rows.hpp"

namespace skde::view {
namespace {

using State = ViewState;

bool is_shaped(const State& state) { return state.cloud.columns.shaped(); }

/// Per-sample bandwidths that are not factors replace the common H.
bool has_common_h(const State& state) { return !have_own_kernels(state.cloud.columns); }

bool needs_form(const State& state) {
  return has_common_h(state) && has_form(state.density.bandwidth);
}

bool uses_covariance(const State& state) {
  const BandwidthSpec& spec = state.density.bandwidth;
  return needs_form(state) && (spec.form != CovarianceForm::iso ||
                               std::holds_alternative<BandwidthRule>(spec.bandwidth));
}

bool is_adaptive_or_unshaped(const State& s) { return !is_shaped(s) || s.density.adaptive; }
bool has_own_widths(const State& s) { return is_shaped(s) || s.density.adaptive; }
bool is_no_mixture(const State& s) { return !io::is_mixture(s.cloud.columns.widths); }

/// Forgets a grid that was taken from a file.
void forget_like(State& state) { state.density.like.reset(); }

/// Returns true if there is a box whose faces can bound the kernels.
bool has_box(const State& state) {
  return state.density.like || state.density.grid.bounds || has_boundary(state.density.boundaries);
}

bool is_on(const State& state, Device device) {
  if (state.density.is_automatic()) return state.density.device == device;
  return engine_entry(state.density.engine).traits.device == device;
}
bool is_on_cpu(const State& state) { return is_on(state, Device::cpu); }
bool is_on_gpu(const State& state) { return is_on(state, Device::cuda); }

/// Adds the controls of fields of a density.
struct DensityRows {
  ViewRows& rows;

  /// Its words, a switch, or a text. `then` makes further changes when it changes.
  ViewField& add(const char* name, const FieldWidget& as, bool (*shown)(const State&) = nullptr,
                 void (*then)(State&) = nullptr) {
    ViewField& row = rows.control(as, name);
    row.type = density_field(name).text.type;
    row.shown = shown;
    row.print = [name](const State& state) {
      const DensityField& field = density_field(name);
      const DensityOptions density = density_of(state);
      return field.text.type.words.empty() ? field.print(density)
                                           : field.put(density).get<std::string>();
    };
    row.choose = [=](State& state, const std::string& text) {
      DensityOptions options = density_of(state);
      density_field(name).set(options, text);
      keep_density(std::move(options), state);
      if (then != nullptr) then(state);
    };
    return row;
  }
};

void add_kernel_rows(DensityRows to) {
  to.rows
      .control({"bandwidth", "How far kernels reach: a rule, or your own h; keys [ and ]"},
               "bandwidth")
      .put_ahead("h plug-in lscv lcv silverman scott data-driven smoothing");
  to.add("dims", {"cells", "Along the axis that needs the most", "128"})
      .put_ahead("grid resolution");
  ViewField& kernel = to.add(
      "kernel",
      {.name = "kernel", .tip = "How the kernel falls from its sample to its edge", .menu = true},
      is_no_mixture);
  kernel.type.words = density_field("kernel").text.words;
  kernel.print = [](const State& s) { return std::string(s.density.kernel->name); };
  kernel.put_ahead("epanechnikov gaussian");
  ViewField& form =
      to.add("covariance",
             {.name = "covariance",
              .tip = "Shape of the kernel: data: the cloud's; diag: along the axes; iso: a ball",
              .menu = true},
             needs_form);
  form.known_as("anisotropy");
  form.choose = [choose = form.choose](State& s, const std::string& word) {
    BandwidthSpec& spec = s.density.bandwidth;
    const bool was_ball = spec.form == CovarianceForm::iso;
    choose(s, word);
    // An h has another unit and size in another form, so a rule has to find a new one.
    if (was_ball != (spec.form == CovarianceForm::iso) &&
        std::holds_alternative<double>(spec.bandwidth))
      spec.bandwidth = BandwidthRule::automatic;
  };
  to.rows.control({"score", "Where is h good? The leave-one-out score over h"}, "score")
      .known_as("lscv lcv curve");
  to.add(
        "sharpen", {"sharpen", "Moves samples to their neighbours: half the error", "less bias"},
        [](const State& s) { return !is_shaped(s); },
        [](State& s) { s.density.adaptive.reset(); })  // the two contradict each other
      .member = [](State& s) { return &s.density.sharpen; };
  to.add("normalize", {.name = "values",
                       .tip = "Integral: 1 over all space, 1 over the box, or the sum of weights",
                       .menu = true})
      .known_as("integral");
  to.rows.control({"engine", "Method that computes the density; auto: the fastest"}, "engine")
      .known_as("machine hardware cpu cuda gpu");
}

void add_details_rows(DensityRows to) {
  to.add("bandwidth", {"H as text", "A rule, h, three lengths, or H as 6 or 9 numbers", "auto"},
         has_common_h)
      .known = "as text";
  to.add("regularize", {"regularize", "Share of the mean variance added to S", "0"},
         uses_covariance);
  ViewField& matrix = to.rows.control(
      {"S of file", "Text file of the 3x3 numbers of S", "of the samples"}, "covariance");
  matrix.known_as("covariance of file").shown = uses_covariance;
  matrix.print = [](const State& s) {
    return std::string(s.density.bandwidth.covariance ? "(as given)" : "");
  };
  matrix.choose = [](State& s, const std::string& text) {
    BandwidthSpec& spec = s.density.bandwidth;
    if (text.empty()) return spec.covariance.reset();
    spec.covariance = read_covariance(text);
    spec.form = CovarianceForm::data;
  };
  to.add("tolerance",
         {"tolerance", "Allowed error, as a share of the peak", "rounding errors only"});
  to.add("adaptive", {"adaptive", "Exponent of Abramson's law, such as 0.5", "off"},
         is_adaptive_or_unshaped)
      .known = "adaptive-alpha abramson";
  to.add("min-width", {"width floor", "Least deviation of kernels, in cells", "1"}, has_own_widths);
  to.add("spacing", {"spacing", "Edge of a cell in world units, or three", "from the cells"},
         nullptr, [](State& s) {
           if (s.density.grid.spacing)
             s.density.grid.dims.reset();  // the two contradict each other
           forget_like(s);
         });
  ViewField& like =
      to.rows.control({"grid of", "Volume file whose exact grid to use", "its own"}, "like");
  like.known_as("volume");
  like.print = [](const State& s) { return std::string(s.density.like ? "(as given)" : ""); };
  like.choose = [](State& s, const std::string& text) {
    if (text.empty()) return forget_like(s);
    s.density.like = cli::grid_like(text, std::nullopt);
    s.density.grid.bounds.reset();
  };
  to.add("boundary",
         {"boundary", "Beyond the box: reflect, periodic, renormalize or linear", "none"}, has_box);
  to.add("cells", {"cells hold", "The value at their centres, or their mean"});
  to.rows.control({"box and axis", "Whether the box and the axis of colours stay when h changes"})
      .known_as("stay when h changes");
  to.add("threads", {"threads", "CPU threads of a CPU engine", "one per core"}, is_on_cpu);
  to.add("device", {"GPU", "Index of the GPU of a CUDA engine", "0"}, is_on_gpu);
  to.add("device-memory", {"GPU memory", "Limit in bytes, such as 2G", "free memory"}, is_on_gpu);
  to.add("precision", {"precision", "Type of the sums and of the volume"}).type.words.resize(2);
  to.add("keep-negatives", {"below 0", "Negative values from the rounding of transforms", "kept"})
      .member = [](State& s) { return &s.density.keep_negatives; };
}

void add_data_rows(DensityRows to) {
  to.add("columns", {"columns", "Three names or numbers", "x, y, z or known alternatives"}).ahead =
      true;
  to.add("weights", {"weights", "Name or number of a column", "all 1"});
  to.add("widths",
         {"widths", "1 to 9 columns of bandwidths; auto; splat", "none, except for Gaussians"},
         nullptr, [](State& s) {
           if (!is_shaped(s)) s.cloud.columns.width_form = io::WidthForm::length;
         });
  to.add("width-form",
         {.name = "factors", .tip = "Meaning of a single column of widths", .menu = true},
         is_shaped);
  to.add("where", {"where", "Condition that rows must fulfil: class == 2 && z > 10", "every row"})
      .known = "filter";
  to.add("geographic", {"geographic", "Degrees to lengths: earth, tangent, east-north-depth or sky",
                        "not degrees"});
  to.add("skip", {"skip lines", "Lines to skip at the beginning of a text file", "0"});
  to.add("units", {"units", "Unit of the coordinates: m, km", "as in the columns' names"});
  to.add("bounds", {"bounds", "X0,Y0,Z0:X1,Y1,Z1; all: with outliers", "without far outliers"},
         nullptr, forget_like);
  to.add("nan", {"NaN rows", "Or an infinity: dropped and counted, or an error"});
}

/// Returns the name of the control for a flag; empty if there is none.
std::string_view control_of(std::string_view flag) {
  const auto has = [flag](const ViewField* field) {
    return fmt::format(" {} {} ", field->text.name, field->known).find(fmt::format(" {} ", flag)) !=
           std::string::npos;
  };
  const std::vector<const ViewField*> found = find_controls(flag);
  const auto named = std::ranges::find(found, flag, [](const auto* f) { return f->text.name; });
  const auto best = named != found.end() ? named : std::ranges::find_if(found, has);
  return best == found.end() ? "" : (*best)->title();
}

std::string with_controls(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return with_parameters(text, control_name);
}

}  // namespace

void add_density_rows(ViewRows& rows) {
  rows.in(Tab::density);
  add_kernel_rows({rows});
  add_details_rows({rows});
  rows.in(Tab::data);
  add_data_rows({rows});
}

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
