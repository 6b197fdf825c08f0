#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/bytes/packing.hpp"
#include "io/volumes/block_cutter.hpp"
#include "io/volumes/rewritten_head.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_writer.hpp"
#include "io/volumes/vtk/vti_markup.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kVtiBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kVtiBlocksAtOnce = 16;  // compressed in parallel, then written

/// The name of the values.
std::string array_name(const DensityMetadata& metadata) {
  return metadata.values.empty() ? "density" : metadata.values;
}

/// Writes the XML around the data, and the raw data after their size.
class VtiWriter : public SliceWriter {
 public:
  VtiWriter(const std::string& path, const Grid& grid, Precision precision,
            const DensityMetadata& expected)
      : VtiWriter(path, grid, precision, expected, false, kPieceBytes) {
    const std::uint64_t size = total_bytes();
    file_.write(&size, sizeof size);
  }

 protected:
  VtiWriter(const std::string& path, const Grid& grid, Precision precision,
            const DensityMetadata& expected, bool compressed, std::size_t piece_bytes)
      : SliceWriter(writing_stage(path), grid, precision, piece_bytes),
        file_(path),
        head_(
            [=, name = array_name(expected)](const VolumeFields& fields, std::size_t blanks) {
              return vti_head(grid, precision, compressed, {name}, fields, blanks);
            },
            expected, grid) {
    file_.write(head_.with(expected));
  }

  OutputFile& file() { return file_; }
  void append(std::string_view piece) override { file_.write(piece); }
  void complete(const DensityMetadata& metadata, Progress&) override {
    file_.write(kVtiTail);
    const std::string head = head_.with(metadata);
    file_.overwrite(0, head.data(), head.size());
    file_.commit();
  }

 private:
  OutputFile file_;
  RewrittenHead head_;
};

/// Writes several arrays in the order of their names, each after its size.
class VtiFieldsWriter final : public FieldsWriter {
 public:
  VtiFieldsWriter(const std::string& path, const Grid& grid, Precision precision,
                  std::vector<std::string> names, const DensityMetadata& expected)
      : FieldsWriter(writing_stage(path), grid, precision, kPieceBytes, std::move(names)),
        file_(path),
        table_(longest_field_table(this->names().size(), grid)),
        head_(
            [this](const VolumeFields& fields, std::size_t blanks) {
              VolumeFields all = fields;
              all.insert(all.end(), table_.begin(), table_.end());
              return vti_head(each(), this->precision(), false, this->names(), all, blanks);
            },
            expected, grid) {
    table_.clear();
    file_.write(head_.with(expected));
  }

 private:
  void append(std::string_view piece) override {
    if (bytes_before() % field_bytes() == 0) {
      const std::uint64_t size = field_bytes();
      file_.write(&size, sizeof size);
    }
    file_.write(piece);
  }
  void complete(const DensityMetadata& common, Progress&) override {
    table_ = field_table(described(), each());
    file_.write(kVtiTail);
    const std::string head = head_.with(common);
    file_.overwrite(0, head.data(), head.size());
    file_.commit();
  }

  OutputFile file_;
  VolumeFields table_;
  RewrittenHead head_;
};

/// Blocks of kVtiBlockBytes as vtkZLibDataCompressor reads them: the number of blocks, their size,
/// the size of the last one if it is smaller (otherwise 0), the compressed sizes, the blocks. The
/// sizes are known last, and written to the space that was reserved for them.
class VtiZlibWriter final : public VtiWriter {
 public:
  VtiZlibWriter(const std::string& path, const Grid& grid, Precision precision,
                const DensityMetadata& expected)
      : VtiWriter(path, grid, precision, expected, true, kVtiBlocksAtOnce * kVtiBlockBytes),
        sizes_position_(file().size()),
        packed_(kVtiBlocksAtOnce + 1) {
    const std::uint64_t blocks = (total_bytes() + kVtiBlockBytes - 1) / kVtiBlockBytes;
    sizes_.reserve(3 + blocks);
    sizes_ = {blocks, kVtiBlockBytes, total_bytes() % kVtiBlockBytes};
    const std::vector<std::uint64_t> room(3 + blocks);
    file().write(room.data(), room.size() * sizeof room[0]);
  }

 private:
  void append(std::string_view piece) override {
    cutter_.add(piece, [this](const auto& blocks) { write_blocks(blocks); });
  }

  void complete(const DensityMetadata& metadata, Progress& progress) override {
    cutter_.finish([this](const auto& blocks) { write_blocks(blocks); });
    file().overwrite(sizes_position_, sizes_.data(), sizes_.size() * sizeof sizes_[0]);
    VtiWriter::complete(metadata, progress);
  }

  void write_blocks(const std::vector<std::string_view>& blocks) {
    constexpr int kFastest = 1;
    std::atomic<bool> good = true;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (!pack_zlib(blocks[b], kFastest, packed_[b])) good = false;
    if (!good)
      throw Error(ErrorKind::resources,
                  "not enough memory for zlib; free memory, or use `format=vti`");
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      file().write(packed_[b].data(), packed_[b].size());
      sizes_.push_back(packed_[b].size());
    }
  }

  std::uint64_t sizes_position_;
  std::vector<std::uint64_t> sizes_;
  BlockCutter cutter_{kVtiBlockBytes};
  std::vector<std::vector<unsigned char>> packed_;  // blocks of a piece, and the one that was
                                                    // incomplete before
};

}  // namespace

VolumeFrame vti_frame(const Grid& grid, Precision precision, const DensityMetadata& metadata) {
  const auto size = static_cast<std::uint64_t>(grid.bytes(precision));
  std::string head =
      vti_head(grid, precision, false, {array_name(metadata)}, fields_of(metadata, grid), 0);
  head.append(reinterpret_cast<const char*>(&size), sizeof size);
  return {std::move(head), std::string(kVtiTail)};
}

std::unique_ptr<VolumeWriter> vti_writer(const std::string& path, const Grid& grid,
                                         Precision precision, const DensityMetadata& expected) {
  return std::make_unique<VtiWriter>(path, grid, precision, expected);
}

std::unique_ptr<FieldsWriter> vti_fields_writer(const std::string& path, const Grid& grid,
                                                Precision precision, std::vector<std::string> names,
                                                const DensityMetadata& expected) {
  return std::make_unique<VtiFieldsWriter>(path, grid, precision, std::move(names), expected);
}

std::unique_ptr<VolumeWriter> vti_zlib_writer(const std::string& path, const Grid& grid,
                                              Precision precision,
                                              const DensityMetadata& expected) {
  return std::make_unique<VtiZlibWriter>(path, grid, precision, expected);
}

}  // namespace skde::io
