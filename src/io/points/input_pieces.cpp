#include "io/points/input_pieces.hpp"

#include <utility>

namespace skde::io {
namespace {

/// Rows that stay in a core's cache on their way.
constexpr std::size_t kRowsAtOnce = std::size_t{1} << 13;

}  // namespace

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

CloudCounts InputPieces::read(std::size_t index,
                              const std::function<void(const SamplesView&)>& use) {
  std::unique_ptr<PointReader> reader = take_reader();
  reader->choose_part(part_.part * pieces_ + index, part_.parts * pieces_);
  const UsableRows rows(input_, columns_, non_finite_);
  CloudCounts counts;
  CategoryNames none;
  Samples chunk;
  while (reader->read(chunk, kRowsAtOnce)) {
    chunk.shapes.clear();
    rows.keep(chunk, *reader, counts, none);
    use(chunk.view());
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
  return counts;
}

}  // namespace skde::io
