#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "io/output_file.hpp"
#include "io/volumes/block_cutter.hpp"
#include "io/volumes/rewritten_head.hpp"
#include "io/volumes/slice_writer.hpp"
#include "io/volumes/volume_files.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kBlocksAtOnce = 16;  // compressed in parallel, then written

/// A text as VTK keeps strings in files: the codes of its characters and a 0.
std::string character_codes(const std::string& text) {
  std::string codes;
  for (const char c : text) codes += fmt::format("{} ", static_cast<unsigned char>(c));
  return codes + '0';
}

std::string field_element(const VolumeField& field) {
  if (const auto* const numbers = std::get_if<std::vector<double>>(&field.value))
    return fmt::format(
        "      <DataArray type=\"Float64\" Name=\"{}\" NumberOfTuples=\"{}\" format=\"ascii\">{}"
        "</DataArray>\n",
        field.name, numbers->size(), field_text(field, " "));
  return fmt::format(
      "      <Array type=\"String\" Name=\"{}\" NumberOfTuples=\"1\" format=\"ascii\">{}</Array>\n",
      field.name, character_codes(std::get<std::string>(field.value)));
}

/// The name of the values.
std::string_view array_name(const DensityMetadata& metadata) {
  return metadata.values.empty() ? std::string_view("density") : metadata.values;
}

/// Everything up to the underscore after which the appended data begin.
std::string xml_head(const Grid& grid, Precision precision, bool compressed, std::string_view name,
                     const VolumeFields& fields, std::size_t blanks) {
  const Vec3 origin = grid.first_centre();
  const std::string extent =
      fmt::format("0 {} 0 {} 0 {}", grid.dims[0] - 1, grid.dims[1] - 1, grid.dims[2] - 1);
  std::string elements;
  for (const VolumeField& field : fields) elements += field_element(field);
  return fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64"{}>
  <ImageData WholeExtent="{}" Origin="{} {} {}" Spacing="{} {} {}" Direction="1 0 0 0 1 0 0 0 1">
    <FieldData>
{}{:{}}
    </FieldData>
    <Piece Extent="{}">
      <PointData Scalars="{}">
        <DataArray type="{}" Name="{}" NumberOfComponents="1" format="appended" offset="0"/>
      </PointData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
   _)",
      compressed ? " compressor=\"vtkZLibDataCompressor\"" : "", extent, origin.x, origin.y,
      origin.z, grid.spacing.x, grid.spacing.y, grid.spacing.z, elements, "", blanks, extent, name,
      precision == Precision::f32 ? "Float32" : "Float64", name);
}

constexpr std::string_view kXmlTail = "\n  </AppendedData>\n</VTKFile>\n";

/// The XML around the data, and the data as they are, behind their size.
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
            [=, name = std::string(array_name(expected))](const VolumeFields& fields,
                                                          std::size_t blanks) {
              return xml_head(grid, precision, compressed, name, fields, blanks);
            },
            expected, grid) {
    file_.write(head_.with(expected));
  }

  OutputFile& file() { return file_; }
  void append(std::string_view piece) override { file_.write(piece); }
  void complete(const DensityMetadata& metadata, Progress&) override {
    file_.write(kXmlTail);
    const std::string head = head_.with(metadata);
    file_.overwrite(0, head.data(), head.size());
    file_.commit();
  }

 private:
  OutputFile file_;
  RewrittenHead head_;
};

/// Blocks of kBlockBytes as vtkZLibDataCompressor reads them: the number of blocks, their size, the
/// size of the last where it is smaller (or else 0), the compressed sizes, the blocks. The sizes
/// are known last, and written over the room that was left for them.
class VtiZlibWriter final : public VtiWriter {
 public:
  VtiZlibWriter(const std::string& path, const Grid& grid, Precision precision,
                const DensityMetadata& expected)
      : VtiWriter(path, grid, precision, expected, true, kBlocksAtOnce * kBlockBytes),
        sizes_position_(file().size()),
        packed_(kBlocksAtOnce + 1) {
    const std::uint64_t blocks = (total_bytes() + kBlockBytes - 1) / kBlockBytes;
    sizes_.reserve(3 + blocks);
    sizes_ = {blocks, kBlockBytes, total_bytes() % kBlockBytes};
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
    for (std::size_t b = 0; b < blocks.size(); ++b)
      packed_[b].resize(compressBound(static_cast<uLong>(blocks[b].size())));
    std::vector<uLongf> sizes(blocks.size());
    std::atomic<bool> good = true;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      sizes[b] = packed_[b].size();
      if (compress2(packed_[b].data(), &sizes[b], reinterpret_cast<const Bytef*>(blocks[b].data()),
                    static_cast<uLong>(blocks[b].size()), Z_BEST_SPEED) != Z_OK)
        good = false;
    }
    if (!good) throw Error(ErrorKind::resources, "zlib has no memory left to compress with");
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      file().write(packed_[b].data(), sizes[b]);
      sizes_.push_back(sizes[b]);
    }
  }

  std::uint64_t sizes_position_;
  std::vector<std::uint64_t> sizes_;
  BlockCutter cutter_{kBlockBytes};
  std::vector<std::vector<Bytef>> packed_;  // blocks of a piece, and the one that was open before
};

}  // namespace

std::unique_ptr<VolumeWriter> vti_writer(const std::string& path, const Grid& grid,
                                         Precision precision, const DensityMetadata& expected) {
  return std::make_unique<VtiWriter>(path, grid, precision, expected);
}

std::unique_ptr<VolumeWriter> vti_zlib_writer(const std::string& path, const Grid& grid,
                                              Precision precision,
                                              const DensityMetadata& expected) {
  return std::make_unique<VtiZlibWriter>(path, grid, precision, expected);
}

}  // namespace skde::io
