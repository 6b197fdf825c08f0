// SOG: what its rounding keeps of random and of hostile clouds.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/points/splats/codebook.hpp"
#include "io_splats/sog_support.hpp"
#include "support/cases/random_splats.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

#if SKDE_HAS_WEBP

namespace skde::test {
namespace {

double logistic(float value) { return 1 / (1 + std::exp(-static_cast<double>(value))); }

/// Coordinates are within half a step of ln(1 + |x|).
void check_coordinates(const io::SplatCloud& splats, const io::SplatCloud& again) {
  const auto stored = [](double x) { return std::copysign(std::log1p(std::abs(x)), x); };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = 1e300, high = -1e300;
    for (std::size_t i = axis; i < splats.xyz.size(); i += 3) {
      low = std::min(low, stored(splats.xyz[i]));
      high = std::max(high, stored(splats.xyz[i]));
    }
    const double half = (high - low) / 65535 / 2 + 1e-13;
    for (std::size_t i = axis; i < splats.xyz.size(); i += 3)
      REQUIRE(std::abs(stored(again.xyz[i]) - stored(splats.xyz[i])) <= half * 1.000001);
  }
}

/// Three parts of a quaternion are within half of 1/255 of sqrt(2), the fourth follows.
void check_rotations(const io::SplatCloud& splats, const io::SplatCloud& again) {
  for (std::size_t i = 0; i < splats.size(); ++i) {
    double plus = 0, minus = 0;
    for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) {
      const auto q = static_cast<double>(splats.rotations[k]);
      const auto r = static_cast<double>(again.rotations[k]);
      plus += (q - r) * (q - r);
      minus += (q + r) * (q + r);
    }
    REQUIRE(std::sqrt(std::min(plus, minus)) <= 2 * std::sqrt(3.0) / (255 * std::sqrt(2.0)));
  }
}

void check_opacities(const io::SplatCloud& splats, const io::SplatCloud& again) {
  for (std::size_t i = 0; i < splats.size(); ++i)
    REQUIRE(std::abs(logistic(splats.opacities[i]) - logistic(again.opacities[i])) < 0.501 / 255);
}

double mean_square(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return a.empty() ? 0 : sum / static_cast<double>(a.size());
}

/// At most 256 values remain, nearer on average than equal steps would be.
void check_codebook(const std::vector<float>& values, const std::vector<float>& again) {
  CHECK(std::set<float>(again.begin(), again.end()).size() <= 256);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double step = (static_cast<double>(*high) - static_cast<double>(*low)) / 255;
  CHECK(mean_square(values, again) <= 1.02 * step * step / 12 + 1e-12);
}

void check_all(const io::SplatCloud& splats, const io::SplatCloud& again) {
  REQUIRE(again.size() == splats.size());
  REQUIRE(again.bands == splats.bands);
  check_coordinates(splats, again);
  check_rotations(splats, again);
  check_opacities(splats, again);
  check_codebook(splats.log_scales, again.log_scales);
  check_codebook(splats.colours, again.colours);
}

}  // namespace

TEST_CASE("SOG keeps random splats within its steps, with any number of bands", "[splats]") {
  for (int bands = 0; bands <= 3; ++bands)
    for (const std::size_t count : {1u, 2u, 3u, 1000u}) {
      INFO(count << " splats, " << bands << " bands");
      const io::SplatCloud splats = random_splats(count, bands, 11 + bands);
      const io::SplatCloud again = written_and_read(splats, "a.sog");
      check_all(splats, again);
      if (bands > 0) check_codebook(splats.harmonics, again.harmonics);
    }
}

TEST_CASE("SOG replaces the harmonics of many splats by those of a palette", "[splats]") {
  const io::SplatCloud splats = random_splats(65537, 1, 5);
  const io::SplatCloud again = written_and_read(splats, "a.sog");
  check_all(splats, again);
  // Nearly as many entries as splats: most keep their own harmonics.
  CHECK(mean_square(splats.harmonics, again.harmonics) < 0.05 * 0.2 * 0.2);
  // A scene of few kinds of harmonics keeps each.
  io::SplatCloud alike = random_splats(5000, 2, 6);
  const std::size_t width = 3 * alike.harmonics_each();
  for (std::size_t i = 100 * width; i < alike.harmonics.size(); ++i)
    alike.harmonics[i] = alike.harmonics[i % (100 * width)];
  const io::SplatCloud kept = written_and_read(alike, "a.sog");
  check_codebook(alike.harmonics, kept.harmonics);
}

TEST_CASE("SOG of splats with four bands has three", "[splats]") {
  const io::SplatCloud splats = random_splats(20, 4, 8), again = written_and_read(splats, "a.sog");
  REQUIRE(again.bands == 3);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t k = 0; k < 15; ++k)
      CHECK(std::abs(again.harmonics[15 * i + k] - splats.harmonics[24 * i + k]) < 0.02f);
}

TEST_CASE("SOG keeps huge, distant, flat and equal splats", "[splats]") {
  check_all(random_splats(500, 0, 1, 1e30),
            written_and_read(random_splats(500, 0, 1, 1e30), "a.sog"));
  const io::SplatCloud distant = random_splats(500, 0, 2, 3, 4e5);
  check_all(distant, written_and_read(distant, "a.sog"));
  io::SplatCloud flat = random_splats(300, 0, 3);
  for (std::size_t i = 2; i < flat.log_scales.size(); i += 3)
    flat.log_scales[i] = -std::numeric_limits<float>::infinity();
  const io::SplatCloud again = written_and_read(flat, "a.sog");
  for (std::size_t i = 0; i < flat.log_scales.size(); ++i)
    CHECK((i % 3 == 2 ? again.log_scales[i] == -80
                      : std::abs(again.log_scales[i] - flat.log_scales[i]) < 0.1f));
  io::SplatCloud equal = random_splats(1, 1, 4);
  for (auto* const values :
       {&equal.log_scales, &equal.rotations, &equal.opacities, &equal.colours, &equal.harmonics}) {
    const std::vector<float> one = *values;
    for (int i = 1; i < 70; ++i) values->insert(values->end(), one.begin(), one.end());
  }
  for (int i = 3; i < 210; ++i) equal.xyz.push_back(equal.xyz[static_cast<std::size_t>(i % 3)]);
  const io::SplatCloud same = written_and_read(equal, "a.sog");
  CHECK(same.log_scales == equal.log_scales);
  CHECK(same.colours == equal.colours);
  CHECK(same.harmonics == equal.harmonics);
  for (std::size_t i = 0; i < 210; ++i) CHECK(same.xyz[i] == Approx(equal.xyz[i]).epsilon(1e-12));
}

TEST_CASE("SOG files of the same splats have the same bytes", "[splats]") {
  const TemporaryFolder folder;
  NoProgress unwatched;
  for (const char* const name : {"a.sog", "b.sog"})
    io::write_splats(folder.path(name), random_splats(3000, 3, 9), unwatched);
  CHECK(content_of(folder.path("a.sog")) == content_of(folder.path("b.sog")));
}

TEST_CASE("A codebook has the nearest of 256 values, and all of fewer", "[splats]") {
  std::vector<float> few;
  for (int i = 0; i < 1000; ++i) few.push_back(static_cast<float>(i % 200) * 0.37f - 5);
  const io::Codebook kept(few);
  for (const float value : few) CHECK(kept.values()[kept.nearest(value)] == value);
  const std::vector<float> many = random_splats(2000, 2, 3).harmonics;
  const io::Codebook codebook(many);
  for (const float value : many) {
    float least = std::numeric_limits<float>::max();
    for (const float other : codebook.values()) least = std::min(least, std::abs(other - value));
    REQUIRE(std::abs(codebook.values()[codebook.nearest(value)] - value) <= least + 1e-7f);
  }
}

TEST_CASE("A codebook of many values has the outermost, however few they are", "[splats]") {
  std::vector<float> values(600000);  // some of which are not looked at
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 7919 % 600011) * 1e-5f;  // from 0 to 6
  values[1000] = -700;
  values[300001] = 90;
  const io::Codebook codebook(values);
  CHECK(codebook.values().front() == -700);
  CHECK(codebook.values().back() == 90);
  for (const float value : values)
    REQUIRE(std::abs(codebook.values()[codebook.nearest(value)] - value) < 0.1f);
}

}  // namespace skde::test

#endif
