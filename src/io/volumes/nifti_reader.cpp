#include <optional>
#include <utility>

#include "io/volumes/nifti_header.hpp"
#include "io/volumes/unpacked_source.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

/// The file, unpacked where its first bytes are those of gzip.
class NiftiSource {
 public:
  explicit NiftiSource(const std::string& path) : file_(open_source(path)) {
    if (file_.peek(2).starts_with("\x1f\x8b")) unpacked_.emplace(inflated_source(file_));
  }
  BufferedSource& bytes() { return unpacked_ ? *unpacked_ : file_; }

 private:
  BufferedSource file_;
  std::optional<BufferedSource> unpacked_;
};

template <class Real>
void scale(std::span<Real> values, double slope, double intercept) {
  for (Real& value : values)
    value = static_cast<Real>(static_cast<double>(value) * slope + intercept);
}

DensityMetadata metadata_of(const NiftiHeader& header) {
  DensityMetadata metadata = metadata_from(header.fields);
  if (metadata.units.empty()) metadata.units = header.units;
  return metadata;
}

}  // namespace

VolumeHead read_nifti_head(const std::string& path) {
  NiftiSource source(path);
  const NiftiHeader header = read_nifti_header(source.bytes());
  return {header.grid, header.placed, metadata_of(header)};
}

VolumeFile read_nifti(const std::string& path) {
  NiftiSource source(path);
  const NiftiHeader header = read_nifti_header(source.bytes());
  Volume volume = read_values(source.bytes(), header.grid, header.type, header.big_endian);
  require_end(source.bytes());
  if (header.slope != 1 || header.intercept != 0) {
    if (volume.precision() == Precision::f32)
      scale(volume.values<float>(), header.slope, header.intercept);
    else
      scale(volume.values<double>(), header.slope, header.intercept);
  }
  put_in_order(volume, header.axes);
  return {std::move(volume), metadata_of(header), header.placed};
}

}  // namespace skde::io
