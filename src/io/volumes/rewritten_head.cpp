#include "io/volumes/rewritten_head.hpp"

#include <stdexcept>
#include <utility>

#include "io/bytes/output_file.hpp"

namespace skde::io {
namespace {

class HeadedWriter final : public SliceWriter {
 public:
  HeadedWriter(const std::string& path, const Grid& grid, Precision precision,
               const DensityMetadata& expected, RewrittenHead::Text text)
      : SliceWriter(writing_stage(path), grid, precision, kPieceBytes),
        file_(path),
        head_(std::move(text), expected, grid) {
    file_.write(std::string(head_.room(), ' '));
  }

 private:
  void append(std::string_view piece) override { file_.write(piece); }
  void complete(const DensityMetadata& metadata, Progress&) override {
    const std::string head = head_.with(metadata);
    file_.overwrite(0, head.data(), head.size());
    file_.commit();
  }

  OutputFile file_;
  RewrittenHead head_;
};

}  // namespace

RewrittenHead::RewrittenHead(Text text, const DensityMetadata& expected, const Grid& grid)
    : text_(std::move(text)), grid_(grid), room_(text_(longest_fields(expected, grid), 0).size()) {}

std::string RewrittenHead::with(const DensityMetadata& metadata) const {
  const VolumeFields fields = fields_of(metadata, grid_);
  const std::size_t needed = text_(fields, 0).size();
  if (needed > room_)
    throw std::logic_error("VolumeWriter: the metadata are longer than announced");
  return text_(fields, room_ - needed);
}

std::unique_ptr<VolumeWriter> headed_writer(const std::string& path, const Grid& grid,
                                            Precision precision, const DensityMetadata& expected,
                                            RewrittenHead::Text text) {
  return std::make_unique<HeadedWriter>(path, grid, precision, expected, std::move(text));
}

}  // namespace skde::io
