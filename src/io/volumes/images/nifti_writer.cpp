#include <zlib.h>

#include <memory>
#include <string>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "io/bytes/output_file.hpp"
#include "io/volumes/block_cutter.hpp"
#include "io/volumes/images/nifti_header.hpp"
#include "io/volumes/rewritten_head.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kNiftiBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kNiftiBlocksAtOnce = 16;  // compressed in parallel, then written

/// Compresses the bytes to a gzip member of their own. At level 0 its size depends on theirs alone.
std::string gzip_member(std::string_view bytes, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(ErrorKind::resources,
                "not enough memory for zlib; free memory, or write an uncompressed format");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, deflateEnd);
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    throw Error(ErrorKind::resources,
                "not enough memory for zlib; free memory, or write an uncompressed format");
  packed.resize(stream.total_out);
  return packed;
}

/// The head has the same length for all metadata: texts are padded to sixteen bytes.
RewrittenHead::Text head_text(const std::string& path, const Grid& grid, Precision precision,
                              const DensityMetadata& expected) {
  return [=, units = expected.units](const VolumeFields& fields, std::size_t blanks) {
    return nifti_head(path, grid, precision, units, fields, blanks);
  };
}

/// Writes the head as an uncompressed gzip member, so that it can be overwritten in place, followed
/// by members of kNiftiBlockBytes. gzip readers treat consecutive members as one stream.
class NiftiGzipWriter final : public SliceWriter {
 public:
  NiftiGzipWriter(const std::string& path, const Grid& grid, Precision precision,
                  const DensityMetadata& expected)
      : SliceWriter(writing_stage(path), grid, precision, kNiftiBlocksAtOnce * kNiftiBlockBytes),
        file_(path),
        head_(head_text(path, grid, precision, expected), expected, grid) {
    file_.write(gzip_member(head_.with(expected), 0));
  }

 private:
  void append(std::string_view piece) override {
    cutter_.add(piece, [this](const auto& blocks) { write_members(blocks); });
  }
  void complete(const DensityMetadata& metadata, Progress&) override {
    cutter_.finish([this](const auto& blocks) { write_members(blocks); });
    const std::string head = gzip_member(head_.with(metadata), 0);
    file_.overwrite(0, head.data(), head.size());
    file_.commit();
  }

  void write_members(const std::vector<std::string_view>& blocks) {
    std::vector<std::string> members(blocks.size());
    FirstFailure failure;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      failure.keep([&] { members[b] = gzip_member(blocks[b], Z_BEST_SPEED); });
    failure.rethrow();
    for (const std::string& member : members) file_.write(member);
  }

  OutputFile file_;
  RewrittenHead head_;
  BlockCutter cutter_{kNiftiBlockBytes};
};

}  // namespace

std::unique_ptr<VolumeWriter> nifti_writer(const std::string& path, const Grid& grid,
                                           Precision precision, const DensityMetadata& expected) {
  return headed_writer(path, grid, precision, expected, head_text(path, grid, precision, expected));
}

std::unique_ptr<VolumeWriter> nifti_gzip_writer(const std::string& path, const Grid& grid,
                                                Precision precision,
                                                const DensityMetadata& expected) {
  return std::make_unique<NiftiGzipWriter>(path, grid, precision, expected);
}

}  // namespace skde::io
