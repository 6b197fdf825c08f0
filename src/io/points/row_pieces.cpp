#include "io/points/row_pieces.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>

namespace skde::io {
namespace {

constexpr int kEdgeSteps = 256;
constexpr std::size_t kPieceDigits = 20;

/// Returns the begin of a 256th of an edge of the block's box. The ends are exact.
double edge_place(double lower, double upper, int step) {
  if (step <= 0) return lower;
  return step >= kEdgeSteps ? upper : lower + step * (upper / kEdgeSteps - lower / kEdgeSteps);
}

/// Returns the 256th of the edge that a value lies in, or about so.
int edge_step(double lower, double upper, double value) {
  const double share = (value / 2 - lower / 2) / (upper / 2 - lower / 2);
  return share > 0 ? static_cast<int>(std::min(share * kEdgeSteps, kEdgeSteps - 1.0)) : 0;
}

std::optional<std::uint32_t> hex_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<RowPiece> piece_from(std::string_view text) {
  RowPiece piece;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto step = hex_number(text.substr(2 * i, 2));
    if (!step) return std::nullopt;
    (i < 3 ? piece.lower : piece.upper)[i % 3] = static_cast<std::uint8_t>(*step);
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (piece.lower[axis] > piece.upper[axis]) return std::nullopt;
  const auto hash = hex_number(text.substr(12));
  if (!hash) return std::nullopt;
  piece.hash = *hash;
  return piece;
}

RowPiece piece_of(std::span<const double> xyz, const Box& block) {
  RowPiece piece;
  for (int axis = 0; axis < 3; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    double least = xyz[at], most = least;
    for (std::size_t i = at; i < xyz.size(); i += 3) {
      least = std::min(least, xyz[i]);
      most = std::max(most, xyz[i]);
    }
    const double lower = block.lower[axis], upper = block.upper[axis];
    int first = edge_step(lower, upper, least), last = edge_step(lower, upper, most);
    while (edge_place(lower, upper, first) > least) --first;  // by rounding
    while (edge_place(lower, upper, last + 1) < most) ++last;
    piece.lower[at] = static_cast<std::uint8_t>(first);
    piece.upper[at] = static_cast<std::uint8_t>(last);
  }
  RowHash hash;
  hash.add(xyz);
  piece.hash = static_cast<std::uint32_t>(hash.value());
  return piece;
}

}  // namespace

void RowHash::add(std::span<const double> xyz) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::uint64_t& lane = lanes_[axis];
      lane = (lane ^ std::bit_cast<std::uint64_t>(xyz[i + axis])) * kOdd;
      lane ^= lane >> 32;
    }
}

std::uint64_t RowHash::value() const {
  constexpr std::uint64_t kOdd = 0xd6e8feb86659fd93;
  std::uint64_t hash = 0;
  for (const std::uint64_t lane : lanes_) hash = (std::rotl(hash, 23) ^ lane) * kOdd;
  return (hash ^ hash >> 32) & ((std::uint64_t{1} << 53) - 1);
}

Box RowPiece::box_in(const Box& block) const {
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    box.lower[axis] = edge_place(block.lower[axis], block.upper[axis], lower[at]);
    box.upper[axis] = edge_place(block.lower[axis], block.upper[axis], upper[at] + 1);
  }
  return box;
}

std::vector<RowPiece> pieces_of(std::span<const double> xyz, std::uint64_t rows_a_piece,
                                const Box& block) {
  std::vector<RowPiece> pieces;
  const auto most = static_cast<std::size_t>(3 * rows_a_piece);
  for (std::size_t begin = 0; begin < xyz.size(); begin += most)
    pieces.push_back(piece_of(xyz.subspan(begin, std::min(most, xyz.size() - begin)), block));
  return pieces;
}

std::string pieces_text(std::span<const RowPiece> pieces) {
  std::string text;
  text.reserve(kPieceDigits * pieces.size());
  for (const RowPiece& piece : pieces) {
    for (const auto& steps : {piece.lower, piece.upper})
      for (const std::uint8_t step : steps) text += fmt::format("{:02x}", step);
    text += fmt::format("{:08x}", piece.hash);
  }
  return text;
}

std::optional<std::vector<RowPiece>> pieces_from(std::string_view text, std::uint64_t count) {
  if (text.size() % kPieceDigits != 0 || text.size() / kPieceDigits != count) return std::nullopt;
  std::vector<RowPiece> pieces;
  for (std::size_t begin = 0; begin < text.size(); begin += kPieceDigits) {
    const std::optional<RowPiece> piece = piece_from(text.substr(begin, kPieceDigits));
    if (!piece) return std::nullopt;
    pieces.push_back(*piece);
  }
  return pieces;
}

void RangeHash::add(std::span<const double> xyz) {
  if (rows_a_piece_ == 0) return hash_.add(xyz);
  while (!xyz.empty()) {
    const auto left = static_cast<std::size_t>(3 * (rows_a_piece_ - in_piece_));
    const auto more = xyz.first(std::min(left, xyz.size()));
    hash_.add(more);
    in_piece_ += more.size() / 3;
    xyz = xyz.subspan(more.size());
    if (in_piece_ < rows_a_piece_) return;
    add_piece(static_cast<std::uint32_t>(hash_.value()));
    hash_ = {};
    in_piece_ = 0;
  }
}

void RangeHash::add_piece(std::uint32_t hash) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  folded_ = (std::rotl(folded_, 23) ^ hash) * kOdd;
}

std::uint64_t RangeHash::value() const {
  if (rows_a_piece_ == 0) return hash_.value();
  RangeHash all = *this;
  if (in_piece_ > 0) all.add_piece(static_cast<std::uint32_t>(hash_.value()));
  return all.folded_;
}

}  // namespace skde::io
