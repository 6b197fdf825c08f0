#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "io/output_file.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr int kBlocksAtOnce = 4;  // a thread; compressed in parallel, then written

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

/// Everything up to the underscore after which the appended data begin.
std::string xml_head(const Volume& volume, const DensityMetadata& metadata, bool compressed) {
  const Grid& grid = volume.grid();
  const Vec3 origin = grid.first_centre();
  const std::string extent =
      fmt::format("0 {} 0 {} 0 {}", grid.dims[0] - 1, grid.dims[1] - 1, grid.dims[2] - 1);
  std::string fields;
  for (const VolumeField& field : fields_of(metadata, grid)) fields += field_element(field);
  return fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64"{}>
  <ImageData WholeExtent="{}" Origin="{} {} {}" Spacing="{} {} {}" Direction="1 0 0 0 1 0 0 0 1">
    <FieldData>
{}    </FieldData>
    <Piece Extent="{}">
      <PointData Scalars="density">
        <DataArray type="{}" Name="density" NumberOfComponents="1" format="appended" offset="0"/>
      </PointData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
   _)",
      compressed ? " compressor=\"vtkZLibDataCompressor\"" : "", extent, origin.x, origin.y,
      origin.z, grid.spacing.x, grid.spacing.y, grid.spacing.z, fields, extent,
      volume.precision() == Precision::f32 ? "Float32" : "Float64");
}

constexpr std::string_view kXmlTail = "\n  </AppendedData>\n</VTKFile>\n";

std::vector<Bytef> compress_block(std::string_view block) {
  uLongf size = compressBound(static_cast<uLong>(block.size()));
  std::vector<Bytef> result(size);
  if (compress2(result.data(), &size, reinterpret_cast<const Bytef*>(block.data()),
                static_cast<uLong>(block.size()), Z_BEST_SPEED) != Z_OK)
    throw Error(ErrorKind::resources, "zlib has no memory left to compress with");
  result.resize(size);
  return result;
}

/// Blocks of kBlockBytes as vtkZLibDataCompressor reads them: the number of blocks, their size, the
/// size of the last where it is smaller (or else 0), the compressed sizes, the blocks.
void write_compressed(OutputFile& file, std::string_view bytes, Progress& progress) {
  const std::size_t blocks = (bytes.size() + kBlockBytes - 1) / kBlockBytes;
  std::vector<std::uint64_t> head(3 + blocks);
  head[0] = blocks;
  head[1] = kBlockBytes;
  head[2] = bytes.size() % kBlockBytes;
  const std::uint64_t head_position = file.size();
  file.write(head.data(), head.size() * sizeof head[0]);
  std::vector<std::vector<Bytef>> packed(
      static_cast<std::size_t>(kBlocksAtOnce * omp_get_max_threads()));
  progress.begin(writing_stage(file.path()), bytes.size(), "bytes");
  for (std::size_t first = 0; first < blocks; first += packed.size()) {
    progress.throw_if_cancelled();
    const int count = static_cast<int>(std::min(packed.size(), blocks - first));
#pragma omp parallel for schedule(dynamic)
    for (int b = 0; b < count; ++b)
      packed[static_cast<std::size_t>(b)] = compress_block(
          bytes.substr((first + static_cast<std::size_t>(b)) * kBlockBytes, kBlockBytes));
    for (std::size_t b = 0; b < static_cast<std::size_t>(count); ++b) {
      head[3 + first + b] = packed[b].size();
      file.write(packed[b].data(), packed[b].size());
    }
    progress.update(std::min((first + packed.size()) * kBlockBytes, bytes.size()));
  }
  progress.throw_if_cancelled();
  file.overwrite(head_position, head.data(), head.size() * sizeof head[0]);
}

void write_image(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
                 bool compressed, Progress& progress) {
  OutputFile file(path);
  file.write(xml_head(volume, metadata, compressed));
  if (compressed) {
    write_compressed(file, bytes_of(volume), progress);
  } else {
    const std::uint64_t size = bytes_of(volume).size();
    file.write(&size, sizeof size);
    write_values(file, volume, progress);
  }
  file.write(kXmlTail);
  file.commit();
}

}  // namespace

void write_vti(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
               Progress& progress) {
  write_image(path, volume, metadata, false, progress);
}

void write_vti_zlib(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
                    Progress& progress) {
  write_image(path, volume, metadata, true, progress);
}

}  // namespace skde::io
