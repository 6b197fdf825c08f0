#include <fmt/core.h>

#include <array>
#include <filesystem>

#include "cli/options/covariance_file.hpp"
#include "cli/options/density_options.hpp"
#include "core/report/nearest_name.hpp"

namespace skde::cli {
namespace {

/// One of the words, or else a file.
struct CovarianceChoice {
  CovarianceForm form = CovarianceForm::data;
  std::optional<Symmetric3> matrix;
};

CovarianceChoice parse_covariance(const std::string& given) {
  std::vector<std::string_view> words;
  for (const auto& [word, form] : kCovarianceForms) {
    if (given == word) return {form, {}};
    words.push_back(word);
  }
  std::error_code ignored;  // what cannot be looked at is no file
  if (!std::filesystem::exists(given, ignored)) {
    const std::string_view nearest = nearest_name(given, words);
    throw Error(
        ErrorKind::usage,
        fmt::format("--covariance '{}' is none of data, diag, robust and iso, nor a file{}", given,
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }
  return {CovarianceForm::data, read_covariance(given)};
}

std::vector<std::string> rule_words() {
  std::vector<std::string> words;
  for (const auto& [word, rule] : kBandwidthRules) words.emplace_back(word);
  return words;
}

}  // namespace

void add_kernel_flag(OptionTable& table, const std::string& help, KernelFunction& kernel,
                     const std::string& by_default) {
  std::vector<std::string> words;
  for (const KernelRow& row : kernel_table()) words.emplace_back(row.name);
  table.value(
      {.name = "kernel", .value = "NAME", .help = help, .by_default = by_default, .words = words},
      kernel, [](const std::string& given) { return KernelFunction::named(given); });
}

void add_covariance_flags(OptionTable& table, DensityOptions& options) {
  table.apply({.name = "covariance",
               .value = "data|diag|robust|iso|FILE",
               .help = "S in H = h^2 S: of the samples, its diagonal, an estimate that outliers "
                       "change little, the unit matrix, or from a text file of 3x3 numbers",
               .by_default = "data"},
              [&options](const std::string& given) {
                const CovarianceChoice choice = parse_covariance(given);
                options.request.bandwidth.form = choice.form;
                options.request.bandwidth.covariance = choice.matrix;
                options.covariance_file = choice.matrix ? given : "";
              });
  table.value({.name = "regularize",
               .value = "SHARE",
               .help = "adds this share of the mean variance to the diagonal of S, for flat clouds",
               .by_default = "0"},
              options.request.bandwidth.regularize, RealNumber(0));
}

void add_bandwidth_options(OptionTable& table, DensityOptions& options) {
  DensityRequest& request = options.request;
  table.group("Kernel and bandwidth");
  add_kernel_flag(table, kernel_names(), request.kernel);
  table.value({.name = "bandwidth",
               .value = "RULE|H|HX,HY,HZ|MATRIX",
               .help = "silverman, scott, normal-scale or normal-scott; by the samples themselves "
                       "lcv (likelihood), lscv (least squares) or plug-in; h in H = h^2 S; three "
                       "lengths; or H itself as 6 (xx,xy,xz,yy,yz,zz) or 9 numbers",
               .by_default = "silverman",
               .words = rule_words()},
              request.bandwidth.bandwidth,
              [](const std::string& given) { return parse_bandwidth(given); });
  add_covariance_flags(table, options);
}

void add_kernel_options(OptionTable& table, DensityOptions& options) {
  add_bandwidth_options(table, options);
  table.value({.name = "tolerance",
               .value = "SHARE",
               .help = "what values may be off by for speed, as a share of the peak, up to 0.1; 0: "
                       "rounding alone, which the Gaussian has not, as it never ends",
               .by_default = "0, and 1e-6 for the Gaussian"},
              options.request.tolerance, parse_tolerance);
}

}  // namespace skde::cli
