#pragma once

#include <cmath>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/grid.hpp"
#include "engines/engine.hpp"
#include "estimate/read/boundary_images.hpp"
#include "estimate/read/part_filler.hpp"
#include "estimate/read/part_statistics.hpp"
#include "estimate/values/request.hpp"
#include "io/bytes/input_stamps.hpp"

namespace skde {

/// A part of a cloud, both where it was read and where the engine works.
struct SamplePart {
  SamplesView points;
  const LoadedSamples* loaded = nullptr;
  /// Samples of the cloud to count with this part; each comes once in all parts of a pass.
  SamplesView counted = points;
  std::size_t done = points.size();  ///< samples of the cloud that this part completes
  /// Statistics of `counted`; empty if none were gathered.
  std::span<const PartStatistics::Block> blocks{};
  const PartFindings* found = nullptr;
  /// Keeps `counted` for who counts later; null if their memory is used again.
  std::shared_ptr<const void> owner{};
};

/// The samples of a cloud in parts, as often as they are needed.
class SampleParts {
 public:
  virtual ~SampleParts() = default;
  /// Returns to the first sample.
  virtual void rewind() = 0;
  /// Returns the next part, valid until the next call; none at the end. Throws Error(input) if
  /// reading fails.
  virtual std::optional<SamplePart> next() = 0;
  /// Returns whether all samples are one part, which stays where the engine works.
  virtual bool is_one_part() const = 0;
  /// Returns how often the samples are gone through, each time for another kernel.
  virtual std::size_t passes() const { return 1; }
  /// Chooses the pass whose parts follow the next rewind().
  virtual void choose_pass(std::size_t /*pass*/) {}
  /// Returns the bandwidth matrix of the pass if it differs from the problem's.
  virtual std::optional<Symmetric3> matrix() const { return std::nullopt; }
};

/// A cloud in memory; `loaded` is null if no engine has loaded it. Both must outlive this object,
/// unless `owner` keeps the cloud.
class MemoryParts final : public SampleParts {
 public:
  MemoryParts(const SamplesView& points, const LoadedSamples* loaded,
              std::shared_ptr<const void> owner = {})
      : part_{points, loaded} {
    part_.owner = std::move(owner);
  }
  void rewind() override { given_ = false; }
  std::optional<SamplePart> next() override;
  bool is_one_part() const override { return true; }

 private:
  SamplePart part_;
  bool given_ = false;
};

/// Samples in memory that an engine loads part by part.
class SlicedParts final : public SampleParts {
 public:
  /// A part ends at each of `ends`, the last of which is the number of samples. The engine must
  /// outlive this object.
  SlicedParts(std::shared_ptr<const Samples> samples, std::vector<std::size_t> ends, Engine& engine)
      : samples_(std::move(samples)), ends_(std::move(ends)), engine_(engine) {}
  void rewind() override { given_ = 0; }
  std::optional<SamplePart> next() override;
  bool is_one_part() const override { return ends_.size() <= 1; }

 private:
  std::shared_ptr<const Samples> samples_;
  std::vector<std::size_t> ends_;
  Engine& engine_;
  std::size_t given_ = 0;  ///< parts
  std::unique_ptr<LoadedSamples> loaded_;
};

/// A cloud that turned out too large for memory after its first samples were read. The stream
/// continues with the rest.
struct CloudBeginning {
  Samples first;
  std::unique_ptr<io::CloudStream> rest;
};

/// Opens files without reading any samples. Throws what io::CloudStream throws.
CloudBeginning begin_cloud(const CloudFiles& files);

/// Totals of all samples. Passes whose totals differ have not seen the same samples.
struct PassTotals {
  std::uint64_t samples = 0;
  double weight = 0;
  Box bounds{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

  static PassTotals of(const Moments& moments);
  /// Compares totals; sums of weights may have been rounded in another order.
  bool agrees_with(const PassTotals& other) const;
};

/// Results of a pass over files.
struct PassFacts {
  io::CloudCounts counts;  ///< complete at the end of the pass
  io::ReadColumns columns;
  /// Moments of the samples given so far. Later passes, and passes with expected totals, only have
  /// Moments::add_totals(). The bits are those of the whole cloud if parts consist of whole blocks.
  Moments moments;
};

/// Throws Error(resources) if an input cannot be read a second time, like a pipe. `memory`: bytes
/// that may be used in total, if known; if there are too few, the error does not blame the pipe.
void require_read_again(const std::vector<std::string>& inputs, std::int64_t memory = 0);

/// Files read part by part. Threads read ahead and gather statistics, and one more thread loads a
/// part into the engine, which works on the previous part meanwhile.
class FileParts final : public SampleParts {
 public:
  /// Reading begins with the first rewind(). Parts are loaded only if there is an engine.
  /// `parts_held` parts are held at a time (0: held_parts()). `progress` is only asked for
  /// cancellation.
  FileParts(CloudFiles files, std::size_t samples_a_part, Engine* engine, const Progress& progress,
            int parts_held = 0);
  ~FileParts() override;
  /// Makes the first pass begin with what was read already. Call before the first rewind().
  void begin_with(CloudBeginning beginning) { beginning_ = std::move(beginning); }
  /// Sets the statistics gathered in the first pass; `look` must outlive the pass. Call before the
  /// first rewind().
  void look_with(const PartStatistics* look) { look_ = look; }
  /// Sets the files' stamps from before they were read first, and their totals if known. Call
  /// before the first rewind(). Otherwise the first pass sets what later ones are compared with.
  void expect(io::InputStamps stamps, std::optional<PassTotals> totals);
  /// Starts reading before the first rewind(). Errors are thrown by next().
  void read_ahead();
  /// Returns whether the constructor would make the same parts for these arguments.
  bool are_for(std::size_t samples_a_part, const Engine* engine) const {
    return most_ == samples_a_part && engine_ == engine;
  }
  /// Throws Error(resources) if an input that can be read only once would be read again.
  void rewind() override;
  /// Reads the first part and returns its mean weight; 0 if reading fails, which next() reports.
  /// Call instead of the first rewind().
  double first_mean_weight();
  /// Throws Error(input) at the end of a pass if the files have changed meanwhile.
  std::optional<SamplePart> next() override;
  bool is_one_part() const override { return false; }
  /// Returns the facts of this pass so far, or of the last one.
  const PassFacts& pass() const { return pass_; }

 private:
  void begin_pass();
  void end_pass();
  void load_ahead();
  void require_same_samples();

  CloudFiles files_;
  std::size_t most_;
  Engine* engine_;
  const Progress& progress_;
  const PartStatistics* look_ = nullptr;
  std::optional<CloudBeginning> beginning_;
  std::vector<std::unique_ptr<SampleRoom>> rooms_;
  std::unique_ptr<PartFiller> filler_;        ///< of the current pass
  std::optional<PartFiller::Part> part_;      ///< being loaded, or loaded last
  std::unique_ptr<LoadedSamples> loaded_[2];  ///< samples of part_, and of the part handed out
  int loading_ = 0;                           ///< index of the one for part_
  std::future<void> ahead_;
  bool was_read_ = false;    ///< at least once
  bool is_begun_ = false;    ///< by read_ahead()
  bool is_rewound_ = false;  ///< by first_mean_weight(); nothing was taken since
  bool holds_part_ = false;  ///< the caller of next() holds a part
  PassFacts pass_;
  io::InputStamps stamps_;
  std::optional<PassTotals> expected_;  ///< in every pass
};

/// The images, at the faces of the box, of the samples of another source. As many are made at a
/// time as the memory plan allows, and loaded where the engine works.
class ImageParts final : public SampleParts {
 public:
  /// The engine and the progress must outlive this object. `keeps`: the samples of the parts are
  /// loaded, and are images of themselves. They are passed on unchanged, and then the new images.
  ImageParts(std::unique_ptr<SampleParts> parts, BoundaryImages images, Engine& engine,
             std::size_t images_a_part, bool keeps, const Progress& progress);

  void rewind() override;
  std::optional<SamplePart> next() override;
  bool is_one_part() const override { return parts_->is_one_part(); }
  std::size_t passes() const override { return images_.passes(); }
  void choose_pass(std::size_t pass) override { pass_ = pass; }
  std::optional<Symmetric3> matrix() const override { return images_.matrix(pass_); }

  /// Returns how many images are held for parts of this size, including those being made.
  static double held(std::size_t images_a_part) { return 1.5 * static_cast<double>(images_a_part); }

 private:
  void fill();

  std::unique_ptr<SampleParts> parts_;
  BoundaryImages images_;
  Engine& engine_;
  std::size_t most_;
  bool keeps_;
  const Progress& progress_;
  std::size_t pass_ = 0;
  std::optional<SamplePart> source_;  ///< the part whose images come next
  std::size_t taken_ = 0;             ///< samples taken from it
  Samples made_;
  std::vector<Samples> scratch_;
  std::unique_ptr<LoadedSamples> loaded_;
};

}  // namespace skde
