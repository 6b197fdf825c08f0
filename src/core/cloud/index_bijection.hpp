#pragma once

#include <bit>
#include <cstdint>

namespace skde {

/// A seeded permutation of the integers below `count`, computed for each index independently. Its
/// first n entries are a random choice of n without storing a list. A Feistel network of four
/// rounds over the smallest even number of bits that holds `count`; results that are too large are
/// sent through again (Black and Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002).
class IndexBijection {
 public:
  IndexBijection(std::uint64_t count, std::uint64_t seed)
      : count_(count),
        half_bits_((static_cast<int>(std::bit_width(count > 1 ? count - 1 : 1)) + 1) / 2),
        seed_(seed) {}

  std::uint64_t operator()(std::uint64_t place) const {
    do place = permuted(place);
    while (place >= count_);
    return place;
  }

 private:
  std::uint64_t permuted(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = value >> half_bits_, right = value & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mixed(right + (round << 32 << 24)) & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }
  /// The finaliser of SplitMix64 (Steele, Lea and Flood 2014, Stafford's variant 13).
  std::uint64_t mixed(std::uint64_t word) const {
    word += seed_ * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
  }

  std::uint64_t count_;
  int half_bits_;
  std::uint64_t seed_;
};

}  // namespace skde
