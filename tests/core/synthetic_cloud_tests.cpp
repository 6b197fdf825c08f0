#include "core/cloud/synthetic_cloud.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace skde;

namespace {

using Generator = Samples (*)(std::uint64_t, std::uint64_t, std::uint64_t);

struct Named {
  const char* name;
  Generator make;
};

constexpr Named kGenerators[] = {{"five Gaussians", make_five_gaussians},
                                 {"uniform", make_uniform_cloud},
                                 {"forest", make_forest}};

/// Mean and covariance of the samples `first`, first + 5, ... of the benchmark cloud.
struct Component {
  double mean[3] = {}, covariance[3][3] = {}, fourth[3] = {};
};

Component component_of(const Samples& cloud, std::size_t first) {
  Component c;
  const std::size_t samples = cloud.size() / 5;
  const auto n = static_cast<double>(samples);
  for (std::size_t i = first; i < cloud.size(); i += 5)
    for (std::size_t a = 0; a < 3; ++a) c.mean[a] += cloud.xyz[3 * i + a] / n;
  for (std::size_t i = first; i < cloud.size(); i += 5)
    for (std::size_t a = 0; a < 3; ++a) {
      const double d = cloud.xyz[3 * i + a] - c.mean[a];
      for (std::size_t b = 0; b < 3; ++b)
        c.covariance[a][b] += d * (cloud.xyz[3 * i + b] - c.mean[b]) / n;
      c.fourth[a] += d * d * d * d / n;
    }
  return c;
}

}  // namespace

TEST_CASE("the first samples are these numbers, to the last bit", "[synthetic_cloud]") {
  CHECK(make_five_gaussians(1, 0, 2).xyz ==
        std::vector<double>{0x1.781513a563bd7p+0, -0x1.85751078b6e8fp-1, 0x1.789241c1117e7p-4,
                            0x1.a7811834e8915p-1, -0x1.08097eba31e3ap-2, 0x1.0e84fde803807p+0});
  CHECK(make_five_gaussians(42, 1000000000, 1).xyz ==
        std::vector<double>{-0x1.449a906b2e03cp-2, -0x1.fe0e93626ef85p-1, -0x1.a13a14227c70ep-5});
  CHECK(make_uniform_cloud(1, 0, 2).xyz ==
        std::vector<double>{0x1.ee93712e45b08p-3, 0x1.9a62c933352a4p-2, 0x1.8f010abbfdcc7p-1,
                            0x1.7af85a094c3f6p-1, 0x1.00cd4090a52fp-4, 0x1.52981fffecc54p-1});
  CHECK(make_forest(1, 0, 2).xyz ==
        std::vector<double>{0x1.b7d4b2512eacep+18, 0x1.3789c699ceed5p+22, 0x1.380d00d5b034cp+9,
                            0x1.b7d102c43f3b3p+18, 0x1.3789f1904e516p+22, 0x1.3852c533839b9p+9});
  CHECK(make_forest(7, 123456789, 1).xyz ==
        std::vector<double>{0x1.b7d631bae433cp+18, 0x1.3789cfed1d274p+22, 0x1.378459e924b7cp+9});
}

TEST_CASE("the same seed gives the same cloud, in parts as in one", "[synthetic_cloud]") {
  for (const Named& generator : kGenerators) {
    INFO(generator.name);
    const Samples whole = generator.make(9, 0, 1000);
    CHECK(whole.size() == 1000);
    CHECK(whole.weights.empty());
    CHECK(whole.xyz == generator.make(9, 0, 1000).xyz);
    std::vector<double> joined;
    for (std::uint64_t first = 0, count = 1; first < 1000; first += count, count = count * 2 + 1) {
      const Samples part = generator.make(9, first, std::min(count, 1000 - first));
      joined.insert(joined.end(), part.xyz.begin(), part.xyz.end());
    }
    CHECK(joined == whole.xyz);
    CHECK(generator.make(9, 5, 0).size() == 0);
  }
}

TEST_CASE("samples differ from seed to seed and from index to index", "[synthetic_cloud]") {
  for (const Named& generator : kGenerators) {
    INFO(generator.name);
    std::vector<double> seen;
    for (std::uint64_t seed : {0u, 1u, 2u, 1000u}) {
      const Samples cloud = generator.make(seed, 0, 200);
      for (std::size_t i = 0; i < cloud.size(); ++i) seen.push_back(cloud.xyz[3 * i]);
    }
    std::sort(seen.begin(), seen.end());
    CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
  }
}

TEST_CASE("uniform samples fill the unit cube evenly", "[synthetic_cloud]") {
  const Samples cloud = make_uniform_cloud(4, 0, 64000);
  std::vector<int> counts(64);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    int cell = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double x = cloud.xyz[3 * i + a];
      REQUIRE(x >= 0);
      REQUIRE(x < 1);
      cell = 4 * cell + static_cast<int>(4 * x);
    }
    ++counts[static_cast<std::size_t>(cell)];
  }
  double chi2 = 0;
  for (int count : counts) chi2 += (count - 1000.0) * (count - 1000.0) / 1000;
  CHECK(chi2 > 25);  // 63 degrees of freedom: 63 +- 11.2
  CHECK(chi2 < 120);
}

TEST_CASE("the benchmark cloud is five axis-aligned Gaussians in turn", "[synthetic_cloud]") {
  constexpr double kSamples = 20000;
  const Samples cloud = make_five_gaussians(3, 0, 100000);
  std::vector<double> centres;
  for (std::size_t g = 0; g < 5; ++g) {
    INFO("Gaussian " << g);
    const Component c = component_of(cloud, g);
    for (int a = 0; a < 3; ++a) {
      const double variance = c.covariance[a][a];
      CHECK(std::abs(c.mean[a]) < 1 + 5 * std::sqrt(variance / kSamples));
      CHECK(variance > 0);
      CHECK(variance < 1 + 5 * std::sqrt(2 / kSamples));
      CHECK(std::abs(c.fourth[a] / (variance * variance) - 3) < 5 * std::sqrt(24 / kSamples));
      for (int b = 0; b < a; ++b)
        CHECK(std::abs(c.covariance[a][b]) <
              5 * std::sqrt(variance * c.covariance[b][b] / kSamples));
      centres.push_back(c.mean[a]);
    }
  }
  std::sort(centres.begin(), centres.end());  // five distinct centres
  for (std::size_t i = 1; i < centres.size(); ++i) CHECK(centres[i] - centres[i - 1] > 1e-4);
  CHECK(benchmark_box() == Box{{-5, -5, -5}, {5, 5, 5}});
}

TEST_CASE("over many seeds centres fill the box from -1 to 1 and variances reach 1",
          "[synthetic_cloud]") {
  double mean = 0, square = 0, variance = 0, largest = -2, smallest = 2;
  constexpr int kSeeds = 200, kValues = kSeeds * 15;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Samples cloud = make_five_gaussians(static_cast<std::uint64_t>(seed), 0, 1000);
    for (std::size_t g = 0; g < 5; ++g) {
      const Component c = component_of(cloud, g);
      for (int a = 0; a < 3; ++a) {
        mean += c.mean[a] / kValues;
        square += c.mean[a] * c.mean[a] / kValues;
        variance += c.covariance[a][a] / kValues;
        largest = std::max(largest, c.covariance[a][a]);
        smallest = std::min(smallest, c.covariance[a][a]);
      }
    }
  }
  CHECK(std::abs(mean) < 0.06);                   // 5 sqrt(1/3 / 3000)
  CHECK(square == Approx(1.0 / 3).margin(0.03));  // of uniform values in [-1, 1]
  CHECK(variance == Approx(0.5).margin(0.03));    // of uniform values in (0, 1]
  CHECK(smallest < 0.01);
  CHECK(largest > 0.9);
  CHECK(largest < 1.6);
}

TEST_CASE("the forest is a plot of ground and trees in projected metres", "[synthetic_cloud]") {
  const Samples cloud = make_forest(2, 0, 20000);
  std::vector<double> heights;
  double west = 1e9, east = 0, south = 1e9, north = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    west = std::min(west, cloud.xyz[3 * i]);
    east = std::max(east, cloud.xyz[3 * i]);
    south = std::min(south, cloud.xyz[3 * i + 1]);
    north = std::max(north, cloud.xyz[3 * i + 1]);
    // Height above the sloping plane; knolls on it are at most 2 m high.
    heights.push_back(cloud.xyz[3 * i + 2] - 612 - 0.11 * (cloud.xyz[3 * i] - 450320) -
                      0.06 * (cloud.xyz[3 * i + 1] - 5104180));
  }
  CHECK(west == Approx(450320).margin(5));
  CHECK(east == Approx(450440).margin(5));
  CHECK(south == Approx(5104180).margin(5));
  CHECK(north == Approx(5104270).margin(5));
  const auto high = [&](double over) {
    return std::count_if(heights.begin(), heights.end(), [&](double h) { return h > over; });
  };
  CHECK(high(-17) == 20000);
  CHECK(high(29 + 17) == 0);
  CHECK(high(5) > 7000);  // 45 % of the returns are from crowns, 45 % from the ground
  CHECK(high(5) < 11000);
}
