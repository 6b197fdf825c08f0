#include "cli/report_parts.hpp"

#include <cmath>

#include "core/cloud/moments.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::cli;

TEST_CASE("Outliers are noted where they widen a cloud by more than half, or hide its tails") {
  const Samples cloud{{0, 0, 0, 2, 1, 0, 0, 4, 1, 1, 0, 5, -3, 1, 2}, {}};
  for (const double widening : {1.0, 1.45, 1 / 1.45, 1.55, 1 / 1.55}) {
    INFO(widening);
    Moments moments = compute_moments(cloud.view());
    moments.keep_robust_covariance((1 / (widening * widening)) * moments.covariance());
    Report report;
    add_outliers(report, moments);
    CHECK((report.text().find("--covariance robust") != std::string::npos) ==
          (std::abs(std::log(widening)) > std::log(1.5)));
  }
}
