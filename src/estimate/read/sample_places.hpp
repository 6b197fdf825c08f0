#pragma once

#include <cstddef>
#include <cstdint>

namespace skde {

/// Places of samples in the order of a stream whose chunks several threads read at once. The number
/// of samples in a chunk is known only once it was read. Until then its place is predicted as if
/// every row were a sample, which holds for most files.
class SamplePlaces {
 public:
  /// Begins with `taken` samples that have their places already.
  explicit SamplePlaces(std::uint64_t taken) : taken_(taken) {}

  /// A chunk whose reading has begun, after all chunks begun before.
  struct Expected {
    std::uint64_t begin = 0;  ///< its samples begin here or further forward
    std::size_t rows = 0;
    bool reserved = false;  ///< no other samples are put there until it is taken
  };
  Expected expect(std::size_t rows) {
    const Expected chunk{taken_ + expected_, rows};
    expected_ += rows;
    return chunk;
  }
  /// Returns false if another chunk has reserved some of these places: rows that were no samples
  /// have moved this chunk forward into them.
  bool reserve(Expected& chunk) {
    if (reservations_ > 0 && chunk.begin < reserved_end_) return false;
    ++reservations_;
    reserved_end_ = chunk.begin + chunk.rows;
    return chunk.reserved = true;
  }
  /// Returns where the samples of a chunk begin. Chunks are taken in their order. A chunk of
  /// unknown size, which was not expected, must have no other chunks beside it.
  std::uint64_t take(const Expected& chunk, std::size_t samples) {
    expected_ -= chunk.rows;
    if (chunk.reserved) --reservations_;
    const std::uint64_t begin = taken_;
    taken_ += samples;
    return begin;
  }
  /// Returns the end of the taken places: all samples before it have theirs.
  std::uint64_t taken() const { return taken_; }

 private:
  std::uint64_t taken_;
  std::uint64_t expected_ = 0;  ///< rows of chunks that were begun but not taken
  std::size_t reservations_ = 0;
  std::uint64_t reserved_end_ = 0;  ///< end of the last reservation
};

}  // namespace skde
