// Scores of bandwidths and the bandwidths that they choose, against sums over all pairs.

#include "estimate/cross_validation.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/synthetic_cloud.hpp"
#include "engines/cpu/nearest_other.hpp"
#include "estimate/bandwidth_search.hpp"
#include "estimate/evidence_bandwidth.hpp"
#include "estimate/evidence_warnings.hpp"
#include "estimate/plug_in_bandwidth.hpp"
#include "estimate/tail_pairs.hpp"
#include "support/case_parts.hpp"
#include "support/evidence_reference.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

constexpr double kMemory = 4e9;

Samples two_clumps(std::size_t count, bool weighted) {
  Random random(11);
  Samples cloud;
  add_normal(cloud, random, {1e4, 20, -3}, 0.5, count / 2);
  add_normal(cloud, random, {1e4 + 2, 21, -1}, 1, count - count / 2);
  for (std::size_t i = 0; weighted && i < cloud.size(); ++i)
    cloud.weights.push_back(random.log_uniform(0.1, 10));
  return cloud;
}

EvidenceCloud evidence(const Samples& cloud, KernelFunction kernel, double reference = 1) {
  return {cloud.view(), kTiltedBandwidth, kernel, reference, 0, 0, kMemory, 2};
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
      const Samples cloud = two_clumps(300, weighted);
      const auto score = likelihood_score(evidence(cloud, kernel));
      for (const double h : {0.12, 0.4, 6.0}) {
        INFO(kernel->name << ", h = " << h << (weighted ? ", weighted" : ""));
        const double expected =
            likelihood_reference(cloud.view(), kernel, (h * h) * kTiltedBandwidth);
        const double found = score->at(h, silent);
        if (std::isinf(expected))
          CHECK(found == expected);
        else
          CHECK(found == Approx(expected).epsilon(1e-9));
      }
    }
}

TEST_CASE("likelihoods by transforms are those of all pairs, lonely samples included",
          "[evidence]") {
  for (const bool weighted : {false, true}) {
    Samples cloud = two_clumps(6000, weighted);
    cloud.xyz.insert(cloud.xyz.end(), {1e4 + 9, 25, 4, 1e4 + 12, 19, -7});  // far from all others
    if (weighted) cloud.weights.insert(cloud.weights.end(), {0.0, 3.0});
    EvidenceCloud many = evidence(cloud, KernelFunction::gaussian, 0.3);
    const auto spectral = likelihood_score(many);
    many.most_bytes = 0;  // which leaves the pairs
    const auto direct = likelihood_score(many);
    for (const double h : {0.04, 0.15, 0.4, 2.0}) {
      INFO("h = " << h << (weighted ? ", weighted" : ""));
      CHECK(spectral->at(h, silent) == Approx(direct->at(h, silent)).epsilon(1e-9));
    }
  }
}

TEST_CASE("the furthest of all nearest samples is known, and the likelihood is infinite up to it",
          "[evidence]") {
  for (const std::size_t count : {std::size_t{50}, std::size_t{700}}) {
    const Samples cloud = two_clumps(count, true);
    for (const double guess : {0.01, 0.3, 100.0}) {
      const double found = furthest_nearest(cloud.view(), kTiltedBandwidth, guess, 2, silent);
      const auto score = likelihood_score(evidence(cloud, KernelFunction::uniform, guess));
      CHECK(score->infinite_up_to(silent) == Approx(found).epsilon(1e-12));
      CHECK(std::isinf(score->at(found * (1 - 1e-7), silent)));
      CHECK(std::isinf(likelihood_reference(cloud.view(), KernelFunction::uniform,
                                            std::pow(found * (1 - 1e-7), 2) * kTiltedBandwidth)));
      CHECK(std::isfinite(score->at(found * (1 + 1e-7), silent)));
      CHECK(
          std::isfinite(likelihood_reference(cloud.view(), KernelFunction::uniform,
                                             std::pow(found * (1 + 1e-7), 2) * kTiltedBandwidth)));
    }
  }
}

TEST_CASE("many samples that are as far from each other have one furthest distance", "[evidence]") {
  Samples lattice;
  for (const double x : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    for (const double y : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
      for (const double z : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
        lattice.xyz.insert(lattice.xyz.end(), {x, y, z});
  const Symmetric3 unit{1, 0, 0, 1, 0, 1};
  CHECK(furthest_nearest(lattice.view(), unit, 0.1, 2, silent) == Approx(1).epsilon(2e-9));
  append_samples(lattice, Samples(lattice).view());
  CHECK(furthest_nearest(lattice.view(), unit, 3, 2, silent) == 0);
}

TEST_CASE("least-squares scores are those of the definition", "[evidence]") {
  for (const KernelFunction kernel : kKernelFunctions)
    for (const bool weighted : {false, true}) {
      const Samples cloud = two_clumps(60, weighted);
      const auto score = least_squares_score(evidence(cloud, kernel));
      for (const double h : {0.9, 2.0}) {
        INFO(kernel->name << ", h = " << h << (weighted ? ", weighted" : ""));
        const double expected =
            least_squares_reference(cloud.view(), kernel, (h * h) * kTiltedBandwidth, 120);
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
    const Samples cloud = two_clumps(3000, weighted);
    EvidenceCloud many = evidence(cloud, KernelFunction::gaussian, 0.3);
    many.finest = 0.05;
    many.widest = 0.6;
    const auto spectral = least_squares_score(many);
    many.most_bytes = 0;  // which leaves the pairs
    const auto direct = least_squares_score(many);
    const double volume = std::sqrt(determinant(kTiltedBandwidth));
    const double n = compute_moments(cloud.view()).effective_samples();
    for (const double h : {0.05, 0.097, 0.2, 0.45, 0.6}) {
      INFO("h = " << h << (weighted ? ", weighted" : ""));
      const double own = KernelFunction::gaussian->constant / (n * h * h * h * volume);
      CHECK(std::abs(spectral->at(h, silent) - direct->at(h, silent)) < 1e-8 * own);
    }
  }
}

TEST_CASE("pairs of samples far out are summed beside the spectrum of the others", "[evidence]") {
  for (const bool weighted : {false, true}) {
    const Samples cloud = two_clumps(40000, weighted);
    EvidenceCloud many = evidence(cloud, KernelFunction::gaussian, 0.03);
    many.finest = 0.025;
    many.widest = 0.03;
    const auto tails = TailPairs::of(many, 9.5 * many.widest);
    REQUIRE(tails);
    const auto spectral = least_squares_score(many);
    many.most_bytes = 0;  // which leaves the pairs
    const auto direct = least_squares_score(many);
    const double volume = std::sqrt(determinant(kTiltedBandwidth));
    const double n = compute_moments(cloud.view()).effective_samples();
    for (const double h : {0.025, 0.03}) {
      INFO("h = " << h << (weighted ? ", weighted" : ""));
      const double own = KernelFunction::gaussian->constant / (n * h * h * h * volume);
      CHECK(std::abs(spectral->at(h, silent) - direct->at(h, silent)) < 1e-8 * own);
    }
  }
}

TEST_CASE("a bandwidth far below Silverman's is told with what coordinates have in common",
          "[evidence]") {
  Samples cloud = two_clumps(3000, false);
  const EvidenceCloud as_is = evidence(cloud, KernelFunction::gaussian, 1);
  CHECK(narrow_bandwidth_warnings(as_is, 0.21, "lscv").empty());
  const auto single = narrow_bandwidth_warnings(as_is, 0.1, "lscv");
  REQUIRE(single.size() == 1);
  CHECK(single[0].kind == "narrow_bandwidth");
  CHECK(
      single[0].problem ==
      "h = 0.1 by lscv is 0.1 times that of Silverman's rule, so narrow that it may follow single "
      "samples");
  CHECK(single[0].advice.suggestion ==
        "compare it with `bandwidth=plug-in` or `bandwidth=silverman`");
  for (std::size_t i = 2; i < cloud.xyz.size(); i += 3) cloud.xyz[i] = std::round(cloud.xyz[i]);
  append_samples(cloud, Samples(cloud).view().slice(0, 60));
  const auto rounded =
      narrow_bandwidth_warnings(evidence(cloud, KernelFunction::gaussian, 1), 0.1, "plug-in");
  REQUIRE(rounded.size() == 1);
  CHECK(
      rounded[0].problem ==
      "h = 0.1 by plug-in is 0.1 times that of Silverman's rule, so narrow that it may follow "
      "ties of rounded or repeated coordinates: 3.92 % of the samples lie at another one's place, "
      "100 % have another one's z");
  CHECK(rounded[0].advice.parameter == "bandwidth");
}

TEST_CASE("the plug-in rule is that of all pairs, by pairs and by the spectrum", "[evidence]") {
  const KernelFunction biweight = KernelFunction::biweight;
  const Samples few = two_clumps(300, true);
  const EvidenceBandwidth found =
      chosen(few, BandwidthRule::plug_in, biweight, CovarianceForm::iso);
  CHECK(found.bandwidth.h ==
        Approx(plug_in_reference(few.view(), biweight->convolution(0), biweight->variance))
            .epsilon(1e-6));
  CHECK(found.bandwidth.source == "plug-in");
  const Samples cloud = two_clumps(6000, true);
  const Moments moments = compute_moments(cloud.view());
  EvidenceCloud many = evidence(cloud, biweight, 0.3);
  const PlugIn spectral = plug_in_bandwidth(many, moments, silent);
  many.most_bytes = 0;  // which leaves the pairs
  const PlugIn direct = plug_in_bandwidth(many, moments, silent);
  CHECK(spectral.h == Approx(direct.h).epsilon(1e-7));
  CHECK(spectral.curvature == Approx(direct.curvature).epsilon(1e-6));
}

TEST_CASE("the chosen bandwidth has the least score", "[evidence]") {
  const Samples cloud = two_clumps(500, true);
  const Moments moments = compute_moments(cloud.view());
  for (const KernelFunction kernel : kKernelFunctions)
    for (const BandwidthRule rule : {BandwidthRule::lcv, BandwidthRule::lscv}) {
      INFO(kernel->name << ' ' << word_of(kBandwidthRules, rule));
      const EvidenceBandwidth found = chosen(cloud, rule, kernel);
      EvidenceCloud same{cloud.view(), moments.covariance(), kernel, 1, 0, 0, kMemory, 2};
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
  Samples cloud = two_clumps(300, false);
  append_samples(cloud, Samples(cloud).view());
  const Error error =
      thrown_error([&] { chosen(cloud, BandwidthRule::lscv, KernelFunction::epanechnikov); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK(says(error, "100 % of the weight lies at the place of another sample"));
  CHECK(error.parameter() == "bandwidth");
  CHECK(repeated_samples(evidence(cloud, KernelFunction::gaussian)).limit < 0);
  const Samples once = two_clumps(300, false);
  const RepeatedSamples none = repeated_samples(evidence(once, KernelFunction::uniform));
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
  // Close above the infinite scores.
  const auto barely = [](double h) {
    return h > 2 ? std::log(h) - 1e-4 * std::log(h - 2) : std::numeric_limits<double>::infinity();
  };
  const SearchResult close = search_bandwidth(barely, {2.0002, 2.6, 4, 100, 2});
  REQUIRE(close.least);
  CHECK(close.least->h == Approx(2 + 2e-4 / (1 - 1e-4)).epsilon(1e-7));
  CHECK(close.curve.size() < 20);
  // Not further than it must.
  const SearchResult short_one = search_bandwidth(least_at(1), {0.01, 1.4, 1.25, 100, 0, 1.6});
  CHECK(short_one.least->h == Approx(1).epsilon(1e-4));
  CHECK(short_one.curve.front().h > 0.4);
  CHECK(!search_bandwidth([](double x) { return x; }, {0.4, 1.4}).least);
  CHECK(search_bandwidth([](double x) { return x; }, {0.4, 1.4}).falls_to_lower_end);
  CHECK(!search_bandwidth(least_at(3), {0.4, 1.4, 1.25, 1}).least);
}
