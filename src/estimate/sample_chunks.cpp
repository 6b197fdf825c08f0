#include "estimate/sample_chunks.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace skde {
namespace {

/// Shows nothing, but hears of a cancellation.
class Silent final : public Progress {
 public:
  explicit Silent(const Progress& heard) : heard_(heard) {}
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return heard_.cancelled(); }

 private:
  const Progress& heard_;
};

/// Fills `cloud` up to `most` samples; a stream gives fewer at a time.
void fill(io::CloudStream& stream, std::size_t most, PointCloud& cloud, const Progress& progress) {
  Silent silent(progress);
  PointCloud rows;
  cloud.xyz.clear();
  cloud.weights.clear();
  while (cloud.size() < most && stream.read(rows, most - cloud.size(), silent)) {
    cloud.xyz.insert(cloud.xyz.end(), rows.xyz.begin(), rows.xyz.end());
    cloud.weights.insert(cloud.weights.end(), rows.weights.begin(), rows.weights.end());
  }
}

}  // namespace

PointsView MemoryChunks::next() { return std::exchange(given_, true) ? PointsView{} : points_; }

FileChunks::FileChunks(CloudFiles files, std::size_t samples_a_part, Engine* engine,
                       const Progress& progress)
    : files_(std::move(files)), most_(samples_a_part), engine_(engine), progress_(progress) {
  for (Part& part : parts_) {
    part.cloud.xyz.reserve(3 * most_);
    if (!files_.columns.weight.empty()) part.cloud.weights.reserve(most_);
  }
}

FileChunks::~FileChunks() {
  if (ahead_.valid()) ahead_.wait();
}

void FileChunks::rewind() {
  if (ahead_.valid()) ahead_.wait();
  if (stream_ && std::ranges::count(files_.paths, "-") > 0)
    throw Error(ErrorKind::usage,
                "standard input can be read only once, and this takes more than that",
                {"memory_limit", "save the samples to a file, or raise `memory_limit`"});
  stream_ = std::make_unique<io::CloudStream>(files_.paths, files_.columns, files_.non_finite);
  read_ahead();
}

void FileChunks::read_ahead() {
  ahead_ = std::async(std::launch::async, [this, &part = parts_[reading_]] {
    fill(*stream_, most_, part.cloud, progress_);
    part.counts = stream_->counts();
    if (engine_ && part.cloud.size() > 0) engine_->prefetch(part.cloud.view());
  });
}

PointsView FileChunks::next() {
  if (!ahead_.valid()) return {};  // the end was reached
  ahead_.get();
  const Part& part = parts_[reading_];
  counts_ = part.counts;
  if (part.cloud.size() == 0) return {};
  reading_ = 1 - reading_;
  read_ahead();
  return part.cloud.view();
}

}  // namespace skde
