#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/standard_error.hpp"
#include "cli/cancellation.hpp"
#include "cli/results/any_table.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/slice_sink.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/volumes/volume_formats.hpp"
#include "pictures/picture_look.hpp"

namespace skde {
class MaximumProjector;
}

namespace skde::cli {

/// The result of `skde density`.
struct DensityRun {
  std::vector<std::string> inputs;
  const DensityFacts* facts = nullptr;
  std::string covariance;  ///< source of S: a word of --covariance, or "file"
  std::optional<StandardErrorFacts> standard_error;
  std::string units;
  StageTimes stages;  ///< in order, from reading to writing
  double seconds = 0;
  std::int64_t peak_memory = 0;
  std::vector<WrittenFile> written;
  bool verbose = false;  ///< report the time of every stage
};

/// Lengths are in world units, times in seconds, sizes in bytes.
void add_fields(Fields<DensityRun>& fields);

/// What files store besides the density.
struct FileNotes {
  std::string units, command_line, version;
  std::string category{};       ///< of the samples; empty: none
  double category_share = 0;    ///< share of the weight of all categories
  bool standard_error = false;  ///< standard errors follow each volume
};
/// A picture to write; an empty path means none.
struct PictureFile {
  std::string path;
  PictureLook look{};
  std::function<std::vector<double>()> samples{};  ///< gives x, y and z of those to draw; or none
};
DensityMetadata file_metadata(const DensityFacts& facts, const FileNotes& notes);

/// The files of `skde density`: a volume, a picture, or both, filled slab by slab. Their times are
/// recorded as stages.
class DensityFiles final : public SliceSink {
 public:
  /// `volume` may be null, and must outlive this. No file exists before begin(), or if this is
  /// destroyed without finish().
  DensityFiles(VolumeOutput* volume, PictureFile picture, FileNotes notes);
  ~DensityFiles() override;

  std::int64_t held_bytes(const Grid& grid, Precision precision) const override;
  void expect(const Grid& grid, Precision precision) override;
  void begin(const DensityFacts& facts) override;
  void take(std::int64_t z, const Volume& slices, Progress& progress) override;
  bool keeps_all() const override { return volume_ && volume_->keeps_all(); }
  void finish(const DensityFacts& facts, Progress& progress) override;

  const StageTimes& stages() const { return stages_; }
  const std::vector<WrittenFile>& written() const { return written_; }

 private:
  VolumeOutput* volume_;
  PictureFile picture_;
  FileNotes notes_;
  std::unique_ptr<io::VolumeWriter> writer_;
  io::FieldsWriter* fields_ = nullptr;  ///< the writer, if standard errors follow
  std::unique_ptr<MaximumProjector> projector_;
  std::optional<Volume> whole_;  ///< if the picture has lines of masses
  std::int64_t slices_ = 0;      ///< of the density
  StageTimes stages_;
  std::vector<WrittenFile> written_;
  /// Until there are files to remove, a signal ends the program immediately.
  std::optional<CancelAtOnce> nothing_to_clean_up_{std::in_place};
};

}  // namespace skde::cli
