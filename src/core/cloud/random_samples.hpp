#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cloud/samples.hpp"

namespace skde {

/// A random choice of the samples of a cloud of any size that arrives in parts. It follows from
/// their indices alone: the same cloud gives the same samples in parts and in memory.
class RandomSamples {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 14;

  /// Adds the next samples of the cloud. Those without weight are skipped. Once samples have
  /// bandwidth factors or shapes of their own, none are chosen: no common bandwidth is.
  void add(const SamplesView& points);
  /// Returns all samples, or kMost of them, in the order of the cloud.
  Samples chosen() const;

 private:
  struct Entry {
    std::uint64_t hash = 0, index = 0;
    Vec3 point{};
    double weight = 1;
  };
  /// Returns the kMost entries of least hash, or all if there are no more.
  static void keep_least(std::vector<Entry>& entries);

  std::uint64_t next_ = 0;                   ///< index of the next sample in the cloud
  std::uint64_t limit_ = ~std::uint64_t{0};  ///< of the hashes of samples that may still be chosen
  bool shaped_ = false;
  std::vector<Entry> kept_;
};

}  // namespace skde
