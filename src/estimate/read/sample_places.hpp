#pragma once

#include <cstddef>
#include <cstdint>

namespace skde {

/// The places of samples in the order of a stream, of which several threads read a chunk each at
/// once. How many samples a chunk has is known once all of it was read; before, its place is
/// expected as if every row were a sample, which most files keep to.
class SamplePlaces {
 public:
  /// So many have their places already.
  explicit SamplePlaces(std::uint64_t taken) : taken_(taken) {}

  /// A chunk that is begun, behind all that were begun before.
  struct Expected {
    std::uint64_t begin = 0;  ///< where its samples are, or else before that
    std::size_t rows = 0;
    bool reserved = false;  ///< nobody else puts any samples there, until it is taken
  };
  Expected expect(std::size_t rows) {
    const Expected chunk{taken_ + expected_, rows};
    expected_ += rows;
    return chunk;
  }
  /// False where another chunk has some of these places meanwhile: rows before that were no samples
  /// have moved this one there.
  bool reserve(Expected& chunk) {
    if (reservations_ > 0 && chunk.begin < reserved_end_) return false;
    ++reservations_;
    reserved_end_ = chunk.begin + chunk.rows;
    return chunk.reserved = true;
  }
  /// Where the samples of a chunk are: of one chunk after another, in their order. Chunks that were
  /// not expected, as none knows their rows, have no others beside them.
  std::uint64_t take(const Expected& chunk, std::size_t samples) {
    expected_ -= chunk.rows;
    if (chunk.reserved) --reservations_;
    const std::uint64_t begin = taken_;
    taken_ += samples;
    return begin;
  }
  /// All samples before this place have theirs.
  std::uint64_t taken() const { return taken_; }

 private:
  std::uint64_t taken_;
  std::uint64_t expected_ = 0;  ///< rows of the chunks that were begun and are not taken
  std::size_t reservations_ = 0;
  std::uint64_t reserved_end_ = 0;  ///< of the last of them
};

}  // namespace skde
