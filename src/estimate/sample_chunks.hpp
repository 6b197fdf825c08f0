#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "core/points.hpp"
#include "core/progress.hpp"
#include "engines/engine.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde {

/// The samples of a cloud in parts, as often as they are needed.
class SampleChunks {
 public:
  virtual ~SampleChunks() = default;
  /// Begins at the first sample again.
  virtual void rewind() = 0;
  /// The next part, valid until the next call; empty at the end. Error(input) where reading fails.
  virtual PointsView next() = 0;
  /// True where all samples are one part, which may stay where the engine works.
  virtual bool is_one_part() const = 0;
};

/// A cloud in memory, which must outlive this.
class MemoryChunks final : public SampleChunks {
 public:
  explicit MemoryChunks(const PointsView& points) : points_(points) {}
  void rewind() override { given_ = false; }
  PointsView next() override;
  bool is_one_part() const override { return true; }

 private:
  PointsView points_;
  bool given_ = false;
};

/// Files of points, and how they are read.
struct CloudFiles {
  std::vector<std::string> paths;
  io::ColumnSelection columns;
  io::NonFinite non_finite = io::NonFinite::drop;

  friend bool operator==(const CloudFiles&, const CloudFiles&) = default;
};

/// Files read part by part: a thread of its own reads one part ahead, and offers it to the engine
/// to be copied while the engine works on the part before.
class FileChunks final : public SampleChunks {
 public:
  /// Reading begins with the first rewind(). `engine` may be null. `progress` is asked for
  /// cancellation alone.
  FileChunks(CloudFiles files, std::size_t samples_a_part, Engine* engine,
             const Progress& progress);
  ~FileChunks() override;
  /// Error(usage) where standard input would have to be read a second time.
  void rewind() override;
  PointsView next() override;
  bool is_one_part() const override { return false; }
  /// Of the pass that goes on, or of the last one.
  const io::CloudCounts& counts() const { return counts_; }

 private:
  /// A part, and how many rows had been counted when it was whole.
  struct Part {
    PointCloud cloud;
    io::CloudCounts counts;
  };
  void read_ahead();

  CloudFiles files_;
  std::size_t most_;
  Engine* engine_;
  const Progress& progress_;
  std::unique_ptr<io::CloudStream> stream_;
  Part parts_[2];
  int reading_ = 0;  // which part the thread fills
  std::future<void> ahead_;
  io::CloudCounts counts_;
};

}  // namespace skde
