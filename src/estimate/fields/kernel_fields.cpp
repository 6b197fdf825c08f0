#include <fmt/core.h>

#include <filesystem>

#include "estimate/fields/field_codecs.hpp"
#include "estimate/read/covariance_file.hpp"
#include "estimate/read/pilot_samples.hpp"

namespace skde {
namespace {

using namespace target;
using Json = nlohmann::ordered_json;

constexpr unsigned kEstimates = kGrid | kPoints | kMeans | kDraws;

DensityField kernel_field(std::string help, std::string by_default) {
  std::vector<std::string> names;
  for (const KernelRow& row : kernel_table()) names.emplace_back(row.name);
  return member_field(
      {.name = "kernel",
       .value = "NAME",
       .help = std::move(help),
       .by_default = std::move(by_default),
       .words = std::move(names)},
      [](auto& o) -> auto& { return o.request.kernel; },
      FunctionCodec{KernelFunction::named,
                    [](KernelFunction kernel) { return std::string(kernel->name); }});
}

struct BandwidthText {
  std::string operator()(BandwidthRule rule) const {
    return std::string(word_of(kBandwidthRules, rule));
  }
  std::string operator()(const auto& value) const { return field_text(value); }
};

DensityField bandwidth_field() {
  std::vector<std::string> rules;
  for (const auto& [word, rule] : kBandwidthRules) rules.emplace_back(word);
  return member_field(
      {.name = "bandwidth",
       .value = "RULE|H|HX,HY,HZ|MATRIX",
       .help =
           "auto (lscv, or plug-in if samples are tied); silverman, scott, normal-scale or "
           "normal-scott; lscv by least squares, lcv by likelihood, or plug-in, by all samples; "
           "h in H = h^2 S; three lengths; or H as 6 or 9 numbers",
       .by_default = "auto",
       .words = std::move(rules)},
      [](auto& o) -> auto& { return o.request.bandwidth.bandwidth; },
      FunctionCodec{parse_bandwidth,
                    [](const auto& value) { return std::visit(BandwidthText{}, value); }});
}

/// Takes one of the words, or else the path of a file.
void set_covariance(DensityOptions& options, const std::string& given) {
  BandwidthSpec& spec = options.request.bandwidth;
  spec.form = CovarianceForm::data;
  spec.covariance.reset();
  options.covariance_file.clear();
  if (given.empty()) return;
  std::vector<std::string_view> words;
  for (const auto& [word, form] : kCovarianceForms) {
    if (given == word) {
      spec.form = form;
      return;
    }
    words.push_back(word);
  }
  std::error_code ignored;  // a path that cannot be examined is not a file
  if (!std::filesystem::exists(given, ignored)) {
    const std::string_view nearest = nearest_name(given, words);
    throw Error(
        ErrorKind::usage,
        fmt::format("must be data, diag, robust, iso, within, auto, free or a file; got "
                    "'{}'{}",
                    given, nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }
  spec.covariance = read_covariance(given);
  options.covariance_file = given;
}

/// JSON names no files: the matrix itself has a key beside the word.
DensityField covariance_field() {
  DensityField field = member_field(
      {.name = "covariance",
       .value = "data|diag|robust|iso|within|auto|free|FILE",
       .help = "S in H = h^2 S: covariance of the samples, its diagonal, robust against outliers, "
               "the identity, pooled within parts; auto: that of least score; free: all of H by "
               "the score; or a text file of 3x3 numbers",
       .by_default = "data",
       .names_file = true},
      [](auto& o) -> auto& { return o.request.bandwidth.form; }, WordCodec{kCovarianceForms});
  field.text.type.only_words = false;
  field.set = set_covariance;
  return field;
}

DensityField covariance_matrix_field() {
  DensityField field{.text = {.name = "covariance-matrix", .help = ""}, .key = "covariance_matrix"};
  field.put = [](const DensityOptions& o) { return io::to_json(o.request.bandwidth.covariance); };
  field.read = [](DensityOptions& o, io::JsonObject& object, const Json&) {
    io::read_optional(object, "covariance_matrix", o.request.bandwidth.covariance, io::matrix_from);
  };
  return field;
}

double parse_alpha(const std::string& given) {
  const double alpha = RealNumber(0)(given);
  if (!(alpha > 0 && alpha <= 1))
    throw Error(ErrorKind::usage, fmt::format("must be above 0 and at most 1; got '{}'", given),
                {"adaptive_alpha", "use 0.5 for the square-root law"});
  return alpha;
}

/// On the command line a switch, beside the flag of its exponent. In JSON and where users type the
/// value, it is the exponent or true.
DensityField adaptive_field() {
  DensityField field = member_field(
      {.name = "adaptive",
       .help = "adaptive bandwidth by Abramson's law: each sample's bandwidth is scaled by "
               "(f/g)^-alpha, where f is the pilot density at the sample and g its geometric mean"},
      [](auto& o) -> auto& { return o.request.adaptive; },
      FunctionCodec{[](const std::string& given) -> std::optional<double> {
                      if (given == "false") return std::nullopt;
                      return given == "true" ? kSquareRootLaw : parse_alpha(given);
                    },
                    [](const std::optional<double>& alpha) { return field_text(alpha); }});
  field.set = [set = field.set](DensityOptions& o, const std::string& given) {
    if (given != "true" || !o.request.adaptive) set(o, given);
  };
  field.read = [set = field.set, read = field.read](DensityOptions& o, io::JsonObject& object,
                                                    const Json& value) {
    return value == true ? set(o, "true") : read(o, object, value);
  };
  return field;
}

DensityField alpha_field() {
  DensityField field = member_field(
      {.name = "adaptive-alpha",
       .value = "A",
       .help = "exponent alpha of `adaptive`, at most 1",
       .by_default = "0.5, the square-root law"},
      [](auto& o) -> auto& { return o.request.adaptive; }, PlainCodec{parse_alpha});
  field.key.clear();
  return field;
}

}  // namespace

double parse_tolerance(const std::string& given) {
  constexpr double kMost = 0.1;
  const double share = RealNumber(0)(given);
  if (share > kMost)
    throw Error(ErrorKind::usage,
                fmt::format("must be at most {1} of the peak; got '{0}'", given, kMost),
                {"tolerance", "give a share such as `tolerance=1e-4`"});
  return share;
}

void add_kernel_fields(std::vector<DensityField>& table) {
  const auto add = [&](DensityField field, unsigned targets,
                       std::string_view group = "Kernel and bandwidth") {
    field.group = group;
    field.targets = targets;
    table.push_back(std::move(field));
  };
  add(kernel_field(kernel_names(), "epanechnikov; gaussian for splats and mixtures"), kEstimates);
  add(kernel_field(kernel_names(), "epanechnikov"), kSearch, "Kernel");
  add(bandwidth_field(), kEstimates);
  add(covariance_field(), kEstimates);
  add(covariance_field(), kSearch, "Kernel");
  add(covariance_matrix_field(), 0);
  const auto regularize = [] {
    return member_field(
        {.name = "regularize",
         .value = "SHARE",
         .help = "share of the mean variance to add to the diagonal of S, for flat clouds",
         .by_default = "0"},
        [](auto& o) -> auto& { return o.request.bandwidth.regularize; }, PlainCodec{RealNumber(0)});
  };
  add(regularize(), kEstimates);
  add(regularize(), kSearch, "Kernel");
  add(member_field(
          {.name = "tolerance",
           .value = "SHARE",
           .help = "allowed error as a share of the peak, up to 0.1, in exchange for speed; 0: "
                   "rounding error only, except for the Gaussian, which is unbounded, and for "
                   "`cells=mean`",
           .by_default = "0, and 1e-6 for the Gaussian"},
          [](auto& o) -> auto& { return o.request.tolerance; }, PlainCodec{parse_tolerance}),
      kGrid | kPoints | kMeans);
  add(adaptive_field(), kEstimates);
  add(alpha_field(), kEstimates);
  const auto sharpen = [] {
    return member_field(
        {.name = "sharpen",
         .help = "moves each sample by half of its mean shift before the sum (data sharpening), "
                 "which removes the leading bias: about half the error at the same smoothness"},
        [](auto& o) -> auto& { return o.request.sharpen; }, SwitchCodec{});
  };
  add(sharpen(), kGrid | kPoints | kDraws);
  add(sharpen(), kSearch, "Kernel");
  add(member_field(
          {.name = "min-width",
           .value = "CELLS",
           .help =
               "anti-aliasing floor: kernels of `widths` and `adaptive` with a standard deviation "
               "below this many cells are widened to it, so that they keep their mass; 0: none",
           .by_default = "1",
           .runs = run_kind::kWhole | run_kind::kCategories},
          [](auto& o) -> auto& { return o.request.min_width; }, PlainCodec{RealNumber(0)}),
      kGrid);
}

}  // namespace skde
