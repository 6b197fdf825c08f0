#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/point_reader.hpp"
#include "io/points/row_index.hpp"

namespace skde::io {
namespace {

/// Returns true if rows spread over the file have the hashes of the index: each time a piece, or a
/// block that has none. Another file may have the same size and an older time.
bool are_rows_of(const RowIndex& index, PointReader& reader) {
  constexpr std::uint64_t kLooks = 32;
  const RowIndexBuilder hashing(1, 1);
  Samples chunk;
  std::vector<double> xyz;
  std::uint64_t end = 0;  // of the rows that were looked at
  for (std::uint64_t look = 0; look < kLooks; ++look) {
    const std::uint64_t row = look * (index.rows - 1) / (kLooks - 1);
    if (row < end) continue;
    const RowBlock& block = index.blocks[row / index.rows_a_block];
    const std::uint64_t of_block = row % index.rows_a_block, begin = row - of_block;
    const bool cut = !block.pieces.empty();
    const std::uint64_t piece = cut ? of_block / index.rows_a_piece : 0,
                        first = piece * index.rows_a_piece,
                        rows = cut ? std::min(index.rows_a_piece, block.rows - first) : block.rows;
    reader.choose_rows(begin + first, rows);
    end = begin + first + rows;
    xyz.clear();
    while (reader.read(chunk, static_cast<std::size_t>(rows)))
      xyz.insert(xyz.end(), chunk.xyz.begin(), chunk.xyz.end());
    const std::uint64_t hash = hashing.block_of(xyz).hash;
    if (cut ? static_cast<std::uint32_t>(hash) != block.pieces[piece].hash : hash != block.hash)
      return false;
  }
  return true;
}

/// Returns what of a file differs from what its index says; empty if nothing does.
std::string what_differs(const std::string& path, const RowIndex& index, PointReader& reader) {
  if (index.file_bytes != reader.bytes_total() || index.rows != reader.expected_rows())
    return "the file has another size";
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (index.columns[axis] != reader.columns().xyz[axis].number)
      return "x, y and z are other columns";
  namespace fs = std::filesystem;
  std::error_code unknown;
  const bool later =
      fs::last_write_time(path, unknown) > fs::last_write_time(description_path(path), unknown);
  if (later || unknown) return "the file was written to after its index";
  if (!reader.choose_rows(0, index.rows)) return "its rows cannot be found without reading all";
  const bool fits = are_rows_of(index, reader);
  reader.choose_rows(0, index.rows);
  return fits ? "" : "the file has other rows";
}

}  // namespace

RowIndexFound find_row_index(const std::string& path, PointReader& reader, const OpenFiles& files) {
  RowIndexFound found;
  try {
    std::optional<RowIndex> index = read_row_index(path, files);
    if (!index) return found;
    if (const std::string what = what_differs(path, *index, reader); !what.empty())
      found.why_ignored = fmt::format("{}: is not used: {}", description_path(path), what);
    else
      found.index = std::make_shared<const RowIndex>(std::move(*index));
  } catch (const Error& error) {
    found.why_ignored = fmt::format("{}; the index is not used", error.problem());
  }
  return found;
}

}  // namespace skde::io
