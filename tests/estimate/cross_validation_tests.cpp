// Scores of bandwidths and the bandwidths that they choose, against sums over all pairs.

#include "estimate/cross_validation.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/synthetic_cloud.hpp"
#include "estimate/bandwidth_search.hpp"
#include "estimate/evidence_bandwidth.hpp"
#include "estimate/plug_in_bandwidth.hpp"
#include "support/case_parts.hpp"
#include "support/evidence_reference.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

NoProgress silent;
const Symmetric3 kTilted{0.5, 0.2, -0.12, 0.6, 0.15, 0.4};
constexpr double kMemory = 4e9;

Samples clumps(std::size_t count, bool weighted) {
  Random random(11);
  Samples cloud;
  add_normal(cloud, random, {1e4, 20, -3}, 0.5, count / 2);
  add_normal(cloud, random, {1e4 + 2, 21, -1}, 1, count - count / 2);
  for (std::size_t i = 0; weighted && i < cloud.size(); ++i)
    cloud.weights.push_back(random.log_uniform(0.1, 10));
  return cloud;
}

EvidenceCloud evidence(const Samples& cloud, KernelFunction kernel, double reference = 1) {
  return {cloud.view(), kTilted, kernel, reference, kMemory, 2};
}

double determinant(const Symmetric3& m) {
  const auto values = eigen_decomposition(m).values;
  return values[0] * values[1] * values[2];
}

EvidenceBandwidth chosen(const Samples& cloud, BandwidthRule rule, KernelFunction kernel,
                         CovarianceForm form = CovarianceForm::data) {
  BandwidthSpec spec;
  spec.bandwidth = rule;
  spec.form = form;
  EvidenceEffort effort;
  effort.threads = 2;
  effort.most_bytes = kMemory;
  return evidence_bandwidth(cloud.view(), compute_moments(cloud.view()), {spec, kernel}, effort,
                            silent);
}

}  // namespace

TEST_CASE("likelihoods of samples under all others are those of the definition", "[evidence]") {
  for (const KernelFunction kernel : kKernelFunctions)
    for (const bool weighted : {false, true}) {
      const Samples cloud = clumps(300, weighted);
      const auto score = likelihood_score(evidence(cloud, kernel));
      for (const double h : {0.12, 0.4, 6.0}) {
        INFO(kernel->name << ", h = " << h << (weighted ? ", weighted" : ""));
        const double expected = likelihood_reference(cloud.view(), kernel, (h * h) * kTilted);
        const double found = score->at(h, silent);
        if (std::isinf(expected))
          CHECK(found == expected);
        else
          CHECK(found == Approx(expected).epsilon(1e-9));
      }
    }
}

TEST_CASE("least-squares scores are those of the definition", "[evidence]") {
  for (const KernelFunction kernel : kKernelFunctions)
    for (const bool weighted : {false, true}) {
      const Samples cloud = clumps(60, weighted);
      const auto score = least_squares_score(evidence(cloud, kernel));
      for (const double h : {0.9, 2.0}) {
        INFO(kernel->name << ", h = " << h << (weighted ? ", weighted" : ""));
        const double expected =
            least_squares_reference(cloud.view(), kernel, (h * h) * kTilted, 120);
        // The cells' sum is coarse where kernels jump or have an edge.
        const double off = kernel == KernelFunction::uniform        ? 5e-3
                           : kernel == KernelFunction::epanechnikov ? 3e-4
                                                                    : 1e-5;
        CHECK(score->at(h, silent) == Approx(expected).epsilon(off));
      }
    }
}

TEST_CASE("the spectrum of a cloud has the least-squares scores of its pairs", "[evidence]") {
  for (const bool weighted : {false, true}) {
    const Samples cloud = clumps(6000, weighted);
    EvidenceCloud many = evidence(cloud, KernelFunction::gaussian, 0.3);
    const auto spectral = least_squares_score(many);
    many.most_bytes = 0;  // which leaves the pairs
    const auto direct = least_squares_score(many);
    const double volume = std::sqrt(determinant(kTilted));
    const double n = compute_moments(cloud.view()).effective_samples();
    for (const double h : {0.05, 0.097, 0.2, 0.45, 0.6}) {
      INFO("h = " << h << (weighted ? ", weighted" : ""));
      const double own = KernelFunction::gaussian->constant / (n * h * h * h * volume);
      CHECK(std::abs(spectral->at(h, silent) - direct->at(h, silent)) < 1e-7 * own);
    }
  }
}

TEST_CASE("the plug-in rule is that of all pairs, by pairs and by the spectrum", "[evidence]") {
  const KernelFunction biweight = KernelFunction::biweight;
  const Samples few = clumps(300, true);
  const EvidenceBandwidth found =
      chosen(few, BandwidthRule::plug_in, biweight, CovarianceForm::iso);
  CHECK(found.bandwidth.h ==
        Approx(plug_in_reference(few.view(), biweight->convolution(0), biweight->variance))
            .epsilon(1e-6));
  CHECK(found.bandwidth.source == "plug-in");
  const Samples cloud = clumps(6000, true);
  const Moments moments = compute_moments(cloud.view());
  EvidenceCloud many = evidence(cloud, biweight, 0.3);
  const PlugIn spectral = plug_in_bandwidth(many, moments, silent);
  many.most_bytes = 0;  // which leaves the pairs
  const PlugIn direct = plug_in_bandwidth(many, moments, silent);
  CHECK(spectral.h == Approx(direct.h).epsilon(1e-7));
  CHECK(spectral.curvature == Approx(direct.curvature).epsilon(1e-6));
}

TEST_CASE("the chosen bandwidth has the least score", "[evidence]") {
  const Samples cloud = clumps(500, true);
  const Moments moments = compute_moments(cloud.view());
  for (const KernelFunction kernel : kKernelFunctions)
    for (const BandwidthRule rule : {BandwidthRule::lcv, BandwidthRule::lscv}) {
      INFO(kernel->name << ' ' << word_of(kBandwidthRules, rule));
      const EvidenceBandwidth found = chosen(cloud, rule, kernel);
      EvidenceCloud same{cloud.view(), moments.covariance(), kernel, 1, kMemory, 2};
      const auto score =
          rule == BandwidthRule::lcv ? likelihood_score(same) : least_squares_score(same);
      CHECK(found.best.score == Approx(score->at(found.bandwidth.h, silent)).epsilon(1e-9));
      for (const double factor : {0.8, 0.97, 1.03, 1.25})
        CHECK(score->at(factor * found.bandwidth.h, silent) >
              found.best.score - 1e-9 * std::abs(found.best.score));
      CHECK(std::ranges::is_sorted(found.curve, {}, &ScoredBandwidth::h));
    }
}

TEST_CASE("a score that falls down to 0 is told with the samples that lie at one place",
          "[evidence]") {
  Samples cloud = clumps(300, false);
  append_samples(cloud, Samples(cloud).view());
  const Error error =
      thrown_error([&] { chosen(cloud, BandwidthRule::lscv, KernelFunction::epanechnikov); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK(says(error, "100 % of the weight lies at the place of another sample"));
  CHECK(error.parameter() == "bandwidth");
  CHECK(repeated_samples(evidence(cloud, KernelFunction::gaussian), silent).limit < 0);
  const Samples once = clumps(300, false);
  const RepeatedSamples none = repeated_samples(evidence(once, KernelFunction::uniform), silent);
  CHECK(none.share == 0);
  CHECK(none.limit == Approx(1));
}

TEST_CASE("the search brackets and refines a least score, also beyond where it begins",
          "[evidence]") {
  const auto least_at = [](double h) {
    return [h](double x) { return std::pow(std::log(x / h), 2) + 1; };
  };
  for (const double h : {0.02, 0.5, 1.1, 40.0}) {
    const SearchResult found = search_bandwidth(least_at(h), {0.4, 1.4});
    REQUIRE(found.least);
    CHECK(found.least->h == Approx(h).epsilon(1e-4));
  }
  CHECK(!search_bandwidth([](double x) { return x; }, {0.4, 1.4}).least);
  CHECK(search_bandwidth([](double x) { return x; }, {0.4, 1.4}).falls_to_lower_end);
  CHECK(!search_bandwidth(least_at(3), {0.4, 1.4, 1.25, 1}).least);
}
