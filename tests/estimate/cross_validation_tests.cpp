// Scores of bandwidths and the chosen bandwidths, compared with sums over all pairs.

#include "bandwidth/cross_validation.hpp"

#include <cmath>

#include "bandwidth/bandwidth_search.hpp"
#include "bandwidth/data_driven_bandwidth.hpp"
#include "bandwidth/data_driven_warnings.hpp"
#include "bandwidth/pair_source.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "core/kernel/with_profile.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/references/bandwidth_score_reference.hpp"
#include "support/references/log_reference.hpp"
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

ScoredSamples data_driven(const Samples& cloud, KernelFunction kernel, double reference = 1) {
  return {cloud.view(), kTiltedBandwidth, kernel, reference, 0, 0, kMemory, 2};
}

double determinant(const Symmetric3& m) {
  const auto values = eigen_decomposition(m).values;
  return values[0] * values[1] * values[2];
}

DataDrivenBandwidth chosen(const Samples& cloud, BandwidthRule rule, KernelFunction kernel,
                           CovarianceForm form = CovarianceForm::data) {
  BandwidthSpec spec{.bandwidth = rule, .form = form};
  DataDrivenEffort effort;
  effort.threads = 2;
  effort.most_bytes = kMemory;
  return data_driven_bandwidth(cloud.view(), compute_moments(cloud.view()), {spec, kernel}, effort,
                               silent);
}

}  // namespace

TEST_CASE("likelihoods of samples under all others are those of the definition", "[data_driven]") {
  for (const bool weighted : {false, true}) {
    const Samples cloud = two_clumps(300, weighted);
    const auto score = likelihood_score(data_driven(cloud, KernelFunction::gaussian));
    for (const double h : {0.003, 0.03, 0.12, 0.4, 6.0}) {
      INFO("h = " << h << (weighted ? ", weighted" : ""));
      LogReference reference(cloud.view(), (h * h) * kTiltedBandwidth);
      long double expected = 0, total = 0;
      for (std::size_t i = 0; i < cloud.size(); ++i) {
        const long double w = cloud.view().weight(i);
        expected -= w * reference.log_density(cloud.view().point(i), i);
        total += w;
      }
      expected /= total;
      CHECK(std::abs(score->at(h, silent) - expected) < 1e-9L + 1e-13L * std::abs(expected));
    }
  }
}

TEST_CASE("likelihoods by transforms are those of all pairs, lonely samples included",
          "[data_driven]") {
  for (const bool weighted : {false, true}) {
    Samples cloud = two_clumps(6000, weighted);
    cloud.xyz.insert(cloud.xyz.end(), {1e4 + 9, 25, 4, 1e4 + 12, 19, -7});  // far from all others
    if (weighted) cloud.weights.insert(cloud.weights.end(), {0.0, 3.0});
    ScoredSamples many = data_driven(cloud, KernelFunction::gaussian, 0.3);
    const auto spectral = likelihood_score(many);
    many.most_bytes = 0;  // leaves only the sum over pairs
    const auto direct = likelihood_score(many);
    for (const double h : {0.04, 0.15, 0.4, 2.0}) {
      INFO("h = " << h << (weighted ? ", weighted" : ""));
      CHECK(spectral->at(h, silent) == Approx(direct->at(h, silent)).epsilon(1e-7));
    }
  }
}

TEST_CASE("least-squares scores are those of the definition", "[data_driven]") {
  for (const KernelFunction kernel : kKernelFunctions)
    for (const bool weighted : {false, true}) {
      const Samples cloud = two_clumps(40, weighted);
      if (!kernel->convolution) {
        CHECK(thrown_error([&] { least_squares_score(data_driven(cloud, kernel)); }).parameter() ==
              "kernel");
        continue;
      }
      const auto score = least_squares_score(data_driven(cloud, kernel));
      for (const double h : {0.9, 2.0}) {
        INFO(kernel->name << ", h = " << h << (weighted ? ", weighted" : ""));
        // The sum over cells is coarse for kernels with a jump or an edge.
        const int cells = kernel->degree.value_or(3) < 3 ? 120 : 70;
        const double expected =
            least_squares_reference(cloud.view(), kernel, (h * h) * kTiltedBandwidth, cells);
        const double off = kernel == KernelFunction::uniform        ? 5e-3
                           : kernel == KernelFunction::epanechnikov ? 3e-4
                                                                    : 1e-5;
        CHECK(score->at(h, silent) == Approx(expected).epsilon(off));
      }
    }
}

TEST_CASE("least-squares scores of one pass over the pairs are those of the pairs",
          "[data_driven]") {
  Random random(5);
  for (const double offset : {0.0, 1e6})
    for (const bool weighted : {false, true})
      for (const double step : {0.0, 0.25}) {  // of rounded coordinates, with many at one place
        Samples cloud;
        add_normal(cloud, random, {offset, -offset, 3}, 0.5, 150);
        add_normal(cloud, random, {offset + 2, -offset, 3}, 1, 250);
        for (double& x : cloud.xyz) x = step > 0 ? step * std::round(x / step) : x;
        for (std::size_t i = 0; weighted && i < cloud.size(); ++i)
          cloud.weights.push_back(i % 7 == 0 ? 0 : random.log_uniform(0.01, 10));
        for (const KernelFunction kernel :
             {KernelFunction::epanechnikov, KernelFunction::biweight, KernelFunction::triweight}) {
          ScoredSamples scored{cloud.view(), {1, 0, 0, 1, 0, 1}, kernel, 1, 0, 0, kMemory, 1};
          const auto score = least_squares_score(scored);
          scored.threads = 3;
          const auto same = least_squares_score(scored);
          for (const double h : {1.5, 0.6, 1.3, 0.2, 0.03}) {
            INFO(kernel->name << ", h = " << h << (weighted ? ", weighted, " : ", ") << step);
            const double found = score->at(h, silent);
            // A score near 0 is a difference of terms that are far from it.
            CHECK(found == Approx(least_squares_by_pairs(cloud.view(), *kernel->degree, h))
                               .epsilon(1e-6)
                               .margin(2e-8));
            CHECK(found == same->at(h, silent));
          }
        }
      }
}

TEST_CASE("the spectrum of a cloud has the least-squares scores of its pairs", "[data_driven]") {
  for (const bool weighted : {false, true}) {
    const Samples cloud = two_clumps(5000, weighted);  // of 4,000 or fewer, pairs alone are summed
    ScoredSamples many = data_driven(cloud, KernelFunction::gaussian, 0.3);
    many.finest = 0.05;
    many.widest = 0.6;
    const auto spectral = least_squares_score(many);
    many.most_bytes = 0;  // leaves only the sum over pairs
    const auto direct = least_squares_score(many);
    const double volume = std::sqrt(determinant(kTiltedBandwidth));
    const double n = compute_moments(cloud.view()).effective_samples();
    for (const double h : {0.05, 0.097, 0.2, 0.45, 0.6}) {
      INFO("h = " << h << (weighted ? ", weighted" : ""));
      const double own = KernelFunction::gaussian->constant / (n * h * h * h * volume);
      CHECK(std::abs(spectral->at(h, silent) - direct->at(h, silent)) < 2e-7 * own);
    }
  }
}

TEST_CASE("pairs of samples far out are summed beside the spectrum of the others",
          "[data_driven]") {
  for (const bool weighted : {false, true}) {
    const Samples cloud = two_clumps(40000, weighted);
    ScoredSamples many = data_driven(cloud, KernelFunction::gaussian, 0.03);
    many.finest = 0.025;
    many.widest = 0.03;
    const auto tails = TailPairs::of(many, 9.5 * many.widest);
    REQUIRE(tails);
    const auto spectral = least_squares_score(many);
    many.most_bytes = 0;  // leaves only the sum over pairs
    const auto direct = least_squares_score(many);
    const double volume = std::sqrt(determinant(kTiltedBandwidth));
    const double n = compute_moments(cloud.view()).effective_samples();
    for (const double h : {0.025, 0.03}) {
      INFO("h = " << h << (weighted ? ", weighted" : ""));
      const double own = KernelFunction::gaussian->constant / (n * h * h * h * volume);
      CHECK(std::abs(spectral->at(h, silent) - direct->at(h, silent)) < 2e-7 * own);
    }
  }
}

TEST_CASE("a bandwidth far below Silverman's is told with what coordinates have in common",
          "[data_driven]") {
  Samples cloud = two_clumps(3000, false);
  const ScoredSamples as_is = data_driven(cloud, KernelFunction::gaussian, 1);
  CHECK(data_driven_warnings(as_is, {"lscv", 0.21, 1, KernelFunction::gaussian}).empty());
  const auto single = data_driven_warnings(as_is, {"lscv", 0.1, 1, KernelFunction::gaussian});
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
  const auto rounded = data_driven_warnings(data_driven(cloud, KernelFunction::gaussian, 1),
                                            {"plug-in", 0.1, 1, KernelFunction::gaussian});
  REQUIRE(rounded.size() == 2);
  CHECK(rounded[1].kind == "rounded_coordinates");
  CHECK(rounded[0].problem ==
        "h = 0.1 by plug-in is 0.1 times that of Silverman's rule, so narrow that it may follow "
        "ties of rounded or repeated coordinates: 3.92 % of the samples have the position of "
        "another, "
        "100 % have the z of another");
  CHECK(rounded[0].advice.parameter == "bandwidth");
}

TEST_CASE("the plug-in rule is that of all pairs, by pairs and by the spectrum", "[data_driven]") {
  const KernelFunction biweight = KernelFunction::biweight;
  const Samples few = two_clumps(300, true);
  const DataDrivenBandwidth found =
      chosen(few, BandwidthRule::plug_in, biweight, CovarianceForm::iso);
  CHECK(found.bandwidth.h ==
        Approx(plug_in_reference(few.view(), biweight->convolution(0), biweight->variance))
            .epsilon(1e-6));
  CHECK(found.bandwidth.source == "plug-in");
  const Samples cloud = two_clumps(6000, true);
  const Moments moments = compute_moments(cloud.view());
  ScoredSamples many = data_driven(cloud, biweight, 0.3);
  const PlugIn spectral = plug_in_bandwidth(many, moments, moments.covariance(), silent);
  many.most_bytes = 0;  // leaves only the sum over pairs
  const PlugIn direct = plug_in_bandwidth(many, moments, moments.covariance(), silent);
  CHECK(spectral.h == Approx(direct.h).epsilon(1e-7));
  CHECK(spectral.curvature == Approx(direct.curvature).epsilon(1e-6));
}

TEST_CASE("the chosen bandwidth has the least score of the kernel that judges", "[data_driven]") {
  const Samples cloud = two_clumps(500, true);
  const Moments moments = compute_moments(cloud.view());
  for (const KernelFunction kernel : kKernelFunctions)
    for (const BandwidthRule rule : {BandwidthRule::lcv, BandwidthRule::lscv}) {
      INFO(kernel->name << ' ' << word_of(kBandwidthRules, rule));
      const DataDrivenBandwidth found = chosen(cloud, rule, kernel);
      const bool is_gaussian = rule == BandwidthRule::lcv || kernel == KernelFunction::exponential;
      const bool is_rough = kernel == KernelFunction::uniform || kernel == KernelFunction::linear ||
                            kernel == KernelFunction::cosine ||
                            kernel == KernelFunction::cubic_spline ||
                            kernel == KernelFunction::wendland_c2;
      const KernelFunction judge = is_gaussian ? KernelFunction::gaussian
                                   : is_rough  ? KernelFunction::epanechnikov
                                               : kernel;
      CHECK(found.bandwidth.judge == (judge == kernel ? "" : judge->name));
      // Canonical bandwidths, by Silverman's rule.
      const double factor = kernel->silverman / judge->silverman;
      ScoredSamples same{cloud.view(), moments.covariance(), judge, 1, 0, 0, kMemory, 2};
      const auto score =
          rule == BandwidthRule::lcv ? likelihood_score(same) : least_squares_score(same);
      const double h = found.bandwidth.h / factor;
      CHECK(found.best.score == Approx(score->at(h, silent)).epsilon(2e-7));
      for (const double other : {0.8, 0.97, 1.03, 1.25})
        CHECK(score->at(other * h, silent) > found.best.score - 1e-9 * std::abs(found.best.score));
      CHECK(std::ranges::is_sorted(found.curve, {}, &ScoredBandwidth::h));
    }
}

TEST_CASE("likelihoods of kernels that end do not go by the loneliest sample", "[data_driven]") {
  const Samples cloud = gaussian_cloud(3000);
  const double gaussian = chosen(cloud, BandwidthRule::lcv, KernelFunction::gaussian).bandwidth.h;
  for (const KernelFunction kernel : kKernelFunctions) {
    const DataDrivenBandwidth found = chosen(cloud, BandwidthRule::lcv, kernel);
    INFO(kernel->name);
    CHECK(found.bandwidth.h ==
          Approx(gaussian * kernel->silverman / KernelFunction::gaussian->silverman).epsilon(1e-3));
    CHECK(found.warnings.empty());
  }
}

TEST_CASE("samples far from all others are told where the likelihood goes by them",
          "[data_driven]") {
  Samples cloud = two_clumps(600, false);
  CHECK(chosen(cloud, BandwidthRule::lcv, KernelFunction::biweight).warnings.empty());
  cloud.xyz.insert(cloud.xyz.end(), {1e4 + 90, 250, 40});
  const DataDrivenBandwidth bound =
      chosen(cloud, BandwidthRule::lcv, KernelFunction::biweight, CovarianceForm::iso);
  REQUIRE(bound.warnings.size() == 1);
  CHECK(bound.warnings[0].kind == "lonely_samples");
  CHECK(bound.warnings[0].problem.find("one sample that is more than 5 deviations") == 0);
  for (const Warning& warning :
       chosen(cloud, BandwidthRule::lscv, KernelFunction::biweight, CovarianceForm::iso).warnings)
    CHECK(warning.kind != "lonely_samples");
}

TEST_CASE("a lonely sample is told wherever h is much smaller without it", "[data_driven]") {
  const Samples most = gaussian_cloud(2000);
  const double without =
      chosen(most, BandwidthRule::lcv, KernelFunction::gaussian, CovarianceForm::iso).bandwidth.h;
  int told = 0, untold = 0;
  for (const double far : {6.0, 8.0, 12.0, 20.0, 40.0, 100.0}) {
    Samples cloud = most;
    cloud.xyz.insert(cloud.xyz.end(), {far, 0, 0});
    const DataDrivenBandwidth found =
        chosen(cloud, BandwidthRule::lcv, KernelFunction::gaussian, CovarianceForm::iso);
    const double ratio = found.bandwidth.h / without;
    INFO(far << " away, h is " << ratio << " times as large");
    if (ratio > 1.3) {
      REQUIRE(found.warnings.size() == 1);
      CHECK(found.warnings[0].kind == "lonely_samples");
      ++told;
    } else if (ratio < 1.1) {
      CHECK(found.warnings.empty());
      ++untold;
    }
  }
  CHECK(told > 1);
  CHECK(untold > 0);
}

TEST_CASE("a bandwidth below the step of rounded coordinates is told with their axis",
          "[data_driven]") {
  const Samples cloud = gaussian_cloud(1200);
  for (const std::size_t axis : {0, 1, 2})
    for (const BandwidthRule rule : {BandwidthRule::lscv, BandwidthRule::lcv})
      for (const KernelFunction kernel : {KernelFunction::gaussian, KernelFunction::epanechnikov}) {
        Samples rounded = cloud;
        constexpr double kStep = 1;
        for (std::size_t i = axis; i < rounded.xyz.size(); i += 3)
          rounded.xyz[i] = kStep * std::round(rounded.xyz[i] / kStep);
        INFO(axis << ' ' << kernel->name << ' ' << word_of(kBandwidthRules, rule));
        const DataDrivenBandwidth found = chosen(rounded, rule, kernel, CovarianceForm::iso);
        CHECK(found.bandwidth.h < kStep);
        std::vector<std::string> told;
        for (const Warning& warning : found.warnings)
          if (warning.kind == "rounded_coordinates") told.push_back(warning.problem);
        REQUIRE(told.size() == 1);
        CHECK(told[0].find(std::string("along ") + kAxisNames[axis] + ", where") !=
              std::string::npos);
        CHECK(told[0].find("steps of 1,") != std::string::npos);
      }
  Samples fine = cloud;
  for (double& place : fine.xyz) place = 0.01 * std::round(place / 0.01);
  CHECK(chosen(fine, BandwidthRule::lscv, KernelFunction::gaussian).warnings.empty());
}

TEST_CASE("shares of a place's samples are over the weight of the others", "[data_driven]") {
  // Two samples at one place with most of the weight, and one sample elsewhere.
  const Samples cloud{{0, 0, 0, 0, 0, 0, 1, 0, 0}, {4, 2, 1}};
  const RepeatedSamples found = repeated_samples(data_driven(cloud, KernelFunction::epanechnikov));
  CHECK(found.share == Approx(6.0 / 7));
  // Sums over pairs at one place, including a sample with itself, and sum_i w_i (W_place - w_i) /
  // (W - w_i).
  const double roughness = KernelFunction::epanechnikov->convolution(0),
               height = 15 / (8 * 3.14159265358979323846);
  const double convolved = 6 * 6 + 1, left_out = 4 * 2.0 / 3 + 2 * 4.0 / 5, own = 16 + 4 + 1;
  CHECK(found.limit ==
        Approx((roughness * convolved - 2 * 7 * height * left_out) / (roughness * own)));
}

TEST_CASE("a score that falls down to 0 is told with the samples that lie at one place",
          "[data_driven]") {
  Samples cloud = two_clumps(300, false);
  append_samples(cloud, Samples(cloud).view());
  const Error error =
      thrown_error([&] { chosen(cloud, BandwidthRule::lscv, KernelFunction::epanechnikov); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK(says(error, "100 % of the weight lies at the position of another sample"));
  CHECK(error.parameter() == "bandwidth");
  CHECK(repeated_samples(data_driven(cloud, KernelFunction::gaussian)).limit < 0);
  const Samples once = two_clumps(300, false);
  const RepeatedSamples none = repeated_samples(data_driven(once, KernelFunction::uniform));
  CHECK(none.share == 0);
  CHECK(none.limit == Approx(1));
}

TEST_CASE("the search brackets and refines a least score, also beyond where it begins",
          "[data_driven]") {
  const auto least_at = [](double h) {
    return [h](double x) { return std::pow(std::log(x / h), 2) + 1; };
  };
  for (const double h : {0.02, 0.5, 1.1, 40.0}) {
    const SearchResult found = search_bandwidth(least_at(h), {0.4, 1.4});
    REQUIRE(found.least);
    CHECK(found.least->h == Approx(h).epsilon(1e-4));
  }
  // The search goes no further than needed.
  const SearchResult short_one = search_bandwidth(least_at(1), {0.01, 1.4, 1.25, 100, 1.6});
  CHECK(short_one.least->h == Approx(1).epsilon(1e-4));
  CHECK(short_one.curve.front().h > 0.4);
  CHECK(!search_bandwidth([](double x) { return x; }, {0.4, 1.4}).least);
  CHECK(search_bandwidth([](double x) { return x; }, {0.4, 1.4}).falls_to_lower_end);
  CHECK(!search_bandwidth(least_at(3), {0.4, 1.4, 1.25, 1}).least);
}
