#include "io/volumes/volume_writer.hpp"

#include <filesystem>
#include <stdexcept>

#include "io/volumes/volume_values.hpp"

namespace skde::io {

SliceWriter::SliceWriter(std::string stage, const Grid& grid, Precision precision,
                         std::size_t piece_bytes)
    : stage_(std::move(stage)), grid_(grid), precision_(precision), piece_bytes_(piece_bytes) {}

std::uint64_t SliceWriter::total_bytes() const {
  return static_cast<std::uint64_t>(grid_.bytes(precision_));
}

void SliceWriter::write(ValueSpan slices, Progress& progress) {
  const bool is_float = std::holds_alternative<std::span<const float>>(slices);
  const std::string_view bytes = bytes_of(slices);
  if (is_float != (precision_ == Precision::f32))
    throw std::invalid_argument(
        "VolumeWriter: the type of the values differs from the announced type");
  if (bytes.size() % slice_bytes(grid_, precision_) != 0)
    throw std::invalid_argument("VolumeWriter: the values do not fill whole slices");
  if (bytes.size() > total_bytes() - done_)
    throw std::logic_error("VolumeWriter: more slices than the grid has");
  if (!std::exchange(begun_, true)) progress.begin(stage_, total_bytes(), "bytes");
  expect(slices);
  for (std::size_t first = 0; first < bytes.size(); first += piece_bytes_) {
    progress.throw_if_cancelled();
    const std::string_view piece = bytes.substr(first, piece_bytes_);
    append(piece);
    done_ += piece.size();
    progress.update(done_);
  }
  progress.throw_if_cancelled();
}

void SliceWriter::finish(const DensityMetadata& metadata, Progress& progress) {
  if (done_ != total_bytes()) throw std::logic_error("VolumeWriter: slices are missing");
  complete(metadata, progress);
}

std::string writing_stage(const std::string& path) {
  return "writing " + std::filesystem::path(path).filename().string();
}

std::size_t slice_bytes(const Grid& grid, Precision precision) {
  return static_cast<std::size_t>(grid.dims[0] * grid.dims[1] * value_bytes(precision));
}

}  // namespace skde::io
