#include "bandwidth/mixture_bandwidth.hpp"

#include <fmt/core.h>

#include "core/cloud/moments.hpp"
#include "core/report/error.hpp"

namespace skde {
namespace {

/// Gives the spec S of the mixture's data where it has none of its own but needs one.
void settle_covariance(const Mixture& mixture, BandwidthSpec& spec) {
  const bool is_rule = std::holds_alternative<BandwidthRule>(spec.bandwidth);
  if (!is_rule &&
      (!std::holds_alternative<double>(spec.bandwidth) || spec.form == CovarianceForm::iso))
    return;
  if (spec.covariance) return;
  if (spec.form == CovarianceForm::robust)
    throw Error(ErrorKind::unsupported,
                "a robust covariance needs the samples, but only a mixture is available",
                {"covariance", "use `covariance=data`"});
  spec.covariance = data_covariance(mixture);
  if (is_positive_definite(*spec.covariance)) return;
  throw Error(ErrorKind::input,
              "the covariance of the data that the mixture stands for is not positive definite",
              {"bandwidth", "give lengths with `bandwidth=HX,HY,HZ`"});
}

}  // namespace

Symmetric3 data_covariance(const Mixture& mixture) {
  const SamplesView members = mixture.members.view();
  Moments means;
  means.add(members);
  Symmetric3 own{};
  for (std::size_t i = 0; i < members.size(); ++i) own = own + members.weight(i) * members.shape(i);
  return means.covariance() + (1 / means.total_weight()) * own + -1.0 * mixture.H;
}

Bandwidth mixture_bandwidth(const Mixture& mixture, std::optional<double> effective_samples,
                            BandwidthSpec spec, KernelFunction kernel) {
  const auto* const rule = std::get_if<BandwidthRule>(&spec.bandwidth);
  if (rule && !is_data_driven(*rule) && !effective_samples)
    throw Error(ErrorKind::unsupported,
                fmt::format("{} needs the number of samples, which the mixture does not state",
                            word_of(kBandwidthRules, *rule)),
                {"bandwidth", "give a number, three lengths or a matrix"});
  settle_covariance(mixture, spec);
  Moments::Sums sums;  // of samples of which only n_eff counts here
  sums.count = mixture.size();
  sums.weight = 1;
  sums.weight_squared = 1 / effective_samples.value_or(1);
  return select_bandwidth(Moments(sums), spec, kernel);
}

Symmetric3 replaced_kernel(const Mixture& mixture, std::optional<double> effective_samples,
                           const BandwidthSpec& spec) {
  const Symmetric3 H =
      mixture_bandwidth(mixture, effective_samples, spec, KernelFunction::gaussian).H;
  const Symmetric3 added = H + -1.0 * mixture.H;
  const SamplesView members = mixture.members.view();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (is_positive_definite(members.shape(i) + added, 0)) continue;
    throw Error(ErrorKind::input,
                fmt::format("the new kernel is too narrow for ellipsoid {}, whose covariance "
                            "would not be positive definite without its part of the old one",
                            i + 1),
                {"bandwidth", "choose a wider `bandwidth`"});
  }
  return added;
}

}  // namespace skde
