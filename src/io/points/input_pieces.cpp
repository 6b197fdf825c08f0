#include "io/points/input_pieces.hpp"

#include <fmt/core.h>

#include <limits>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/points/row_index.hpp"

namespace skde::io {

std::unique_ptr<InputPieces> InputPieces::cut(const std::string& input,
                                              const ColumnSelection& columns, NonFinite non_finite,
                                              PointReader& reader, CloudPart part,
                                              std::size_t piece_bytes, const OpenFiles& files) {
  const std::uint64_t bytes = reader.bytes_total() / part.parts;
  const std::uint64_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  if (input == "-" || columns.categorised() || !columns.others.empty() || pieces < 2)
    return nullptr;
  if (!reader.choose_part(part.part, part.parts)) return nullptr;
  const bool bare = !columns.weighted() && !columns.shaped();
  return std::unique_ptr<InputPieces>(
      new InputPieces(input, columns, non_finite, part, static_cast<std::size_t>(pieces),
                      bare ? reader.bare_rows().value_or(0) : 0, files));
}

std::unique_ptr<InputPieces> InputPieces::of_rows(const std::string& input,
                                                  const ColumnSelection& columns,
                                                  NonFinite non_finite, PointReader& reader,
                                                  std::vector<RowRange> rows,
                                                  const OpenFiles& files) {
  if (!reader.choose_rows(0, 0)) return nullptr;
  std::unique_ptr<InputPieces> pieces(new InputPieces(input, columns, non_finite, {}, rows.size(),
                                                      reader.bare_rows().value_or(0), files));
  pieces->rows_ = std::move(rows);
  return pieces;
}

InputPieces::InputPieces(std::string input, ColumnSelection columns, NonFinite non_finite,
                         CloudPart part, std::size_t pieces, std::uint64_t bare_rows,
                         OpenFiles files)
    : input_(std::move(input)),
      columns_(std::move(columns)),
      non_finite_(non_finite),
      part_(part),
      pieces_(pieces),
      bare_rows_(bare_rows),
      files_(std::move(files)) {}

/// Returns a reader at the beginning of piece `index`.
std::unique_ptr<PointReader> InputPieces::take_reader(std::size_t index) {
  std::unique_ptr<PointReader> reader;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      reader = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!reader) reader = open_points(input_, columns_, files_);
  if (rows_.empty())
    reader->choose_part(part_.part * pieces_ + index, part_.parts * pieces_);
  else
    reader->choose_rows(rows_[index].first, rows_[index].rows);
  return reader;
}

void InputPieces::give_back(std::unique_ptr<PointReader> reader) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
}

void InputPieces::require_indexed(std::size_t index, const CloudCounts& counts,
                                  const RangeHash& hash) const {
  const RowRange& range = rows_[index];
  if (counts.rows == range.rows && counts.samples() == range.samples && hash.value() == range.hash)
    return;
  throw Error(
      ErrorKind::input,
      fmt::format("{}: rows {} to {} are not those of its index: the file was changed", input_,
                  range.first + 1, range.first + range.rows),
      {{},
       fmt::format("remove {}, or write the file and its index again", description_path(input_))});
}

CloudCounts InputPieces::read(std::size_t index, Samples& samples) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::unique_ptr<PointReader> reader = take_reader(index);
  const UsableRows rows(input_, columns_, non_finite_);
  CloudCounts counts;
  CategoryNames none;
  Samples more;
  // `samples` is not cleared first: rows that replace the old ones need not be zeroed.
  for (Samples* chunk = &samples; reader->read(*chunk, kAll); chunk = &more) {
    chunk->shapes.clear();
    rows.keep(*chunk, *reader, counts, none);
    if (chunk == &more) append_samples(samples, more.view());
  }
  counts.comments += comments_of(*reader);  // after the last row
  if (counts.rows == 0) samples.clear();
  if (!rows_.empty()) {
    RangeHash hash(rows_[index].rows_a_piece);
    hash.add(samples.xyz);
    require_indexed(index, counts, hash);
  }
  give_back(std::move(reader));
  return counts;
}

std::size_t InputPieces::bare_rows(std::size_t index) const {
  if (!rows_.empty()) return bare_rows_ > 0 ? static_cast<std::size_t>(rows_[index].rows) : 0;
  const std::uint64_t piece = part_.part * pieces_ + index, pieces = part_.parts * pieces_;
  return static_cast<std::size_t>(first_of_part(bare_rows_, piece + 1, pieces) -
                                  first_of_part(bare_rows_, piece, pieces));
}

CloudCounts InputPieces::read_bare(std::size_t index, std::span<double> xyz) {
  // Few enough rows to be examined while in a core's cache, but more bytes than the file buffers
  // hold, so that reads bypass those buffers.
  constexpr std::size_t kRowsAtOnce = std::size_t{1} << 14;
  std::unique_ptr<PointReader> reader = take_reader(index);
  const UsableRows rows(input_, columns_, non_finite_);
  CloudCounts counts;
  RangeHash hash(rows_.empty() ? 0 : rows_[index].rows_a_piece);
  std::size_t kept = 0, left = bare_rows(index);
  while (left > 0) {
    const std::size_t wanted = left < 2 * kRowsAtOnce ? left : kRowsAtOnce;
    const std::span<double> place = xyz.subspan(3 * kept, 3 * wanted);
    const std::size_t got = reader->read_bare(place);
    const std::size_t more = rows.keep_bare(place.first(3 * got), *reader, counts);
    if (!rows_.empty()) hash.add(place.first(3 * more));
    kept += more;
    if (got < wanted) break;  // the file was replaced; the stream reports it
    left -= wanted;
  }
  if (!rows_.empty()) require_indexed(index, counts, hash);
  give_back(std::move(reader));
  return counts;
}

}  // namespace skde::io
