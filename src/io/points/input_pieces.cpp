#include "io/points/input_pieces.hpp"

#include <limits>
#include <utility>

namespace skde::io {

std::unique_ptr<InputPieces> InputPieces::cut(const std::string& input,
                                              const ColumnSelection& columns, NonFinite non_finite,
                                              PointReader& reader, CloudPart part,
                                              std::size_t piece_bytes) {
  const std::uint64_t bytes = reader.bytes_total() / part.parts;
  const std::uint64_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  if (input == "-" || columns.categorised() || !columns.others.empty() || pieces < 2)
    return nullptr;
  if (!reader.choose_part(part.part, part.parts)) return nullptr;
  return std::unique_ptr<InputPieces>(
      new InputPieces(input, columns, non_finite, part, static_cast<std::size_t>(pieces)));
}

InputPieces::InputPieces(std::string input, ColumnSelection columns, NonFinite non_finite,
                         CloudPart part, std::size_t pieces)
    : input_(std::move(input)),
      columns_(std::move(columns)),
      non_finite_(non_finite),
      part_(part),
      pieces_(pieces) {}

std::unique_ptr<PointReader> InputPieces::take_reader() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<PointReader> reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
  }
  return open_points(input_, columns_);
}

CloudCounts InputPieces::read(std::size_t index, Samples& samples) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::unique_ptr<PointReader> reader = take_reader();
  reader->choose_part(part_.part * pieces_ + index, part_.parts * pieces_);
  const UsableRows rows(input_, columns_, non_finite_);
  CloudCounts counts;
  CategoryNames none;
  Samples more;
  // What was in `samples` is not cleared before, as rows that take its place need not be zeroed.
  for (Samples* chunk = &samples; reader->read(*chunk, kAll); chunk = &more) {
    chunk->shapes.clear();
    rows.keep(*chunk, *reader, counts, none);
    if (chunk == &more) append_samples(samples, more.view());
  }
  if (counts.rows == 0) samples.clear();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
  return counts;
}

}  // namespace skde::io
