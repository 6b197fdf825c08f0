#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cancellation.hpp"
#include "commands/output/density_report.hpp"
#include "core/projection.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/stream/slice_sink.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {

/// What goes into the files besides the density.
struct FileNotes {
  std::string units, command_line, version;
  std::string category{};     ///< of the samples; empty: they have none
  double category_share = 0;  ///< of the weight of all categories
};
/// A picture to write; none where its path is empty.
struct PictureFile {
  std::string path;
  std::array<bool, 3> flipped{};  ///< axes that grow the other way
};
DensityMetadata file_metadata(const DensityFacts& facts, const FileNotes& notes);

/// The files of `skde density`: a volume, a picture, or both, filled slab by slab. What they take
/// is kept as timed stages.
class DensityFiles final : public SliceSink {
 public:
  /// `volume`: null where there is none; must outlive this. Neither
  /// file exists before begin(), nor after this ends without finish().
  DensityFiles(VolumeOutput* volume, PictureFile picture, FileNotes notes);
  ~DensityFiles() override;

  std::int64_t held_bytes(const Grid& grid, Precision precision) const override;
  void expect(const Grid& grid, Precision precision) override;
  void begin(const DensityFacts& facts) override;
  void take(std::int64_t z, const Volume& slices, Progress& progress) override;
  bool keeps_all() const override { return volume_ && !volume_->format().streams; }
  void finish(const DensityFacts& facts, Progress& progress) override;

  const StageTimes& stages() const { return stages_; }
  const std::vector<WrittenFile>& written() const { return written_; }

 private:
  VolumeOutput* volume_;
  PictureFile picture_;
  FileNotes notes_;
  std::unique_ptr<io::VolumeWriter> writer_;
  std::unique_ptr<MaximumProjector> projector_;
  StageTimes stages_;
  std::vector<WrittenFile> written_;
  /// Until there are files to remove, a signal ends the program at once.
  std::optional<CancelAtOnce> nothing_to_clean_up_{std::in_place};
};

}  // namespace skde::cli
