#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "core/space/space.hpp"

namespace skde::test {

/// Draws random values for tests of files.
class Choice {
 public:
  explicit Choice(std::mt19937& random) : random_(random) {}
  double real(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random_);
  }
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool coin() { return whole(0, 1) == 1; }
  template <class Words>
  auto word(const Words& words) {
    return words[static_cast<std::size_t>(whole(0, std::ssize(words) - 1))].second;
  }
  /// Returns a positive number of any magnitude.
  double positive() { return std::exp(real(-200, 200)); }
  Vec3 place() { return {real(-1e6, 1e6), real(-1, 1), real(-1e-6, 1e-6)}; }
  Vec3 lengths() { return {positive(), positive(), positive()}; }
  Symmetric3 matrix() {
    const double x = real(1, 2), y = real(1, 2), z = real(1, 2);
    return {x, real(-0.4, 0.4), real(-0.4, 0.4), y, real(-0.4, 0.4), z};
  }
  std::array<std::int64_t, 3> dims() { return {whole(1, 4000), whole(1, 4000), whole(1, 4000)}; }
  /// Returns a text with characters that files must escape or encode.
  std::string text() {
    constexpr std::array<const char*, 5> kTexts{"a", "été \"x\"", "\\ /\n\t", "深さ", " "};
    return std::string(kTexts[static_cast<std::size_t>(whole(0, 4))]) +
           std::to_string(whole(0, 999));
  }

 private:
  std::mt19937& random_;
};

}  // namespace skde::test
