#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/space/space.hpp"

namespace skde::io {

/// A hash of coordinates in the order of a file. Any change of a single value changes it, and other
/// changes all but certainly do.
class RowHash {
 public:
  /// Appends samples: x, y and z of one after another.
  void add(std::span<const double> xyz);
  /// Returns the hash of all samples so far, below 2^53 so that every JSON reader keeps it.
  std::uint64_t value() const;

 private:
  std::array<std::uint64_t, 3> lanes_{1, 2, 3};
};

/// The box and the hash of consecutive rows of a block. All of these rows are samples.
struct RowPiece {
  /// The first and the last 256th of the block's box that the samples reach along each axis.
  std::array<std::uint8_t, 3> lower{}, upper{};
  std::uint32_t hash = 0;  ///< the lowest bits of the RowHash

  /// Returns a box that holds the samples, in world units. `block` is the box of the block.
  Box box_in(const Box& block) const;
  friend bool operator==(const RowPiece&, const RowPiece&) = default;
};

/// Returns what is known of the samples, cut into pieces of `rows_a_piece`; the last may have
/// fewer. `block` is the box of them all.
std::vector<RowPiece> pieces_of(std::span<const double> xyz, std::uint64_t rows_a_piece,
                                const Box& block);

/// Returns 20 hexadecimal digits a piece: `lower`, `upper` and `hash`.
std::string pieces_text(std::span<const RowPiece> pieces);
/// Returns the pieces of such a text; none if it is not one of `count` pieces.
std::optional<std::vector<RowPiece>> pieces_from(std::string_view text, std::uint64_t count);

/// The hash by which a range of rows is recognised: the RowHash of its samples, or those of its
/// pieces, folded one after another.
class RangeHash {
 public:
  /// `rows_a_piece` is 0 for ranges that are not cut into pieces.
  explicit RangeHash(std::uint64_t rows_a_piece) : rows_a_piece_(rows_a_piece) {}

  /// Appends samples: x, y and z of one after another.
  void add(std::span<const double> xyz);
  /// Appends a piece whose hash is known.
  void add_piece(std::uint32_t hash);
  /// Returns the hash of all samples so far.
  std::uint64_t value() const;

 private:
  std::uint64_t rows_a_piece_, in_piece_ = 0;
  RowHash hash_;
  std::uint64_t folded_ = 0;
};

}  // namespace skde::io
