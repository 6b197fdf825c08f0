#pragma once

#include <cmath>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/report/progress.hpp"
#include "engines/engine.hpp"
#include "estimate/read/part_filler.hpp"
#include "estimate/read/part_statistics.hpp"
#include "estimate/request.hpp"
#include "io/bytes/input_stamps.hpp"

namespace skde {

/// A part of a cloud, where it was read and where the engine works.
struct SamplePart {
  SamplesView points;
  const LoadedSamples* loaded = nullptr;
  /// The samples of the cloud that come with it, each once in all parts of a pass.
  SamplesView counted = points;
  std::size_t done = points.size();  ///< samples of the cloud that are done with it
  /// What was found out about `counted` on the way: nothing where nobody looked.
  std::span<const PartStatistics::Block> blocks{};
  const PartFindings* found = nullptr;
};

/// The samples of a cloud in parts, as often as they are needed.
class SampleParts {
 public:
  virtual ~SampleParts() = default;
  /// Begins at the first sample again.
  virtual void rewind() = 0;
  /// The next part, valid until the next call; none at the end. Error(input) where reading fails.
  virtual std::optional<SamplePart> next() = 0;
  /// True where all samples are one part, which stays where the engine works.
  virtual bool is_one_part() const = 0;
  /// How often the samples are gone through, each time for another kernel.
  virtual std::size_t passes() const { return 1; }
  /// Chooses the pass whose parts come after the next rewind().
  virtual void choose_pass(std::size_t /*pass*/) {}
  /// The bandwidth matrix that they are summed with instead of the problem's, if there is one.
  virtual std::optional<Symmetric3> matrix() const { return std::nullopt; }
};

/// A cloud in memory, and loaded where that is not null; both must outlive this.
class MemoryParts final : public SampleParts {
 public:
  MemoryParts(const SamplesView& points, const LoadedSamples* loaded) : part_{points, loaded} {}
  void rewind() override { given_ = false; }
  std::optional<SamplePart> next() override;
  bool is_one_part() const override { return true; }

 private:
  SamplePart part_;
  bool given_ = false;
};

/// A cloud whose first samples were read before it was known that it is too large to be kept: the
/// rest is read on from where the stream stands.
struct CloudBeginning {
  Samples first;
  std::unique_ptr<io::CloudStream> rest;
};

/// Files that are open, of which nothing was read. Throws what io::CloudStream throws.
CloudBeginning begin_cloud(const CloudFiles& files);

/// What all samples come to: passes that differ in it have not seen the same ones.
struct PassTotals {
  std::uint64_t samples = 0;
  double weight = 0;
  Box bounds{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

  static PassTotals of(const Moments& moments);
  /// Sums of weights may have been rounded in another order.
  bool agrees_with(const PassTotals& other) const;
};

/// What a pass over files found.
struct PassFacts {
  io::CloudCounts counts;  ///< once the pass has ended
  io::ReadColumns columns;
  /// Of the samples that were given; of passes behind the first or with expected totals
  /// Moments::add_totals() alone. They have the bits of the whole cloud's where parts are of whole
  /// blocks.
  Moments moments;
};

/// Error(resources) where one of them cannot be read a second time, as a pipe. `memory` is what may
/// be used in all, in bytes, where that is known: too little of it is no fault of the pipe.
void require_read_again(const std::vector<std::string>& inputs, std::int64_t memory = 0);

/// Files read part by part: threads read ahead and look at what they read, and one more loads a
/// part into the engine, which works on the part before meanwhile.
class FileParts final : public SampleParts {
 public:
  /// How many parts are held at a time for an engine that samples are copied to, or for others.
  static constexpr int held(bool on_device) { return on_device ? 3 : 2; }
  /// Reading begins with the first rewind(). Without an engine parts are not loaded. So many parts
  /// are held at a time (0: as an engine wants it). `progress` is asked for cancellation alone.
  FileParts(CloudFiles files, std::size_t samples_a_part, Engine* engine, const Progress& progress,
            int parts_held = 0);
  ~FileParts() override;
  /// The first pass takes up what was read already. Before the first rewind().
  void begin_with(CloudBeginning beginning) { beginning_ = std::move(beginning); }
  /// Samples are looked at in the first pass. The look must outlive it. Before the first rewind().
  void look_with(const PartStatistics* look) { look_ = look; }
  /// What was said of the files before they were read for the first time, and what they held then
  /// if that is known. Before the first rewind(). Without it the first pass sets what later ones
  /// are compared with.
  void expect(io::InputStamps stamps, std::optional<PassTotals> totals);
  /// Reading may begin before anyone rewinds; what it is short of is told by next().
  void read_ahead();
  /// True for parts as the constructor would make them of these.
  bool are_for(std::size_t samples_a_part, const Engine* engine) const {
    return most_ == samples_a_part && engine_ == engine;
  }
  /// Error(resources) where what can be read once alone would have to be read a second time.
  void rewind() override;
  /// Reads the first part, for its mean weight; 0 where that fails, which next() tells. Instead of
  /// the first rewind().
  double first_mean_weight();
  /// Error(input) at the end of a pass where the files were changed meanwhile.
  std::optional<SamplePart> next() override;
  bool is_one_part() const override { return false; }
  /// Of this pass so far, or of the last one.
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
  std::unique_ptr<PartFiller> filler_;        ///< of the pass that goes on
  std::optional<PartFiller::Part> part_;      ///< that is being loaded, or was
  std::unique_ptr<LoadedSamples> loaded_[2];  ///< of it and of the one that was handed out
  int loading_ = 0;                           ///< which of them
  std::future<void> ahead_;
  bool was_read_ = false;    ///< once at least
  bool is_begun_ = false;    ///< by read_ahead()
  bool is_rewound_ = false;  ///< and nothing was taken since
  bool holds_part_ = false;  ///< whoever called next()
  PassFacts pass_;
  io::InputStamps stamps_;
  std::optional<PassTotals> expected_;  ///< of every pass
};

}  // namespace skde
