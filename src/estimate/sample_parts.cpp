#include "estimate/sample_parts.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace skde {
namespace {

void append(Samples& cloud, const SamplesView& points) {
  cloud.xyz.insert(cloud.xyz.end(), points.xyz.begin(), points.xyz.end());
  cloud.weights.insert(cloud.weights.end(), points.weights.begin(), points.weights.end());
}

/// Appends samples up to `most` in all; a stream gives fewer at a time.
void append_from(io::CloudStream& stream, std::size_t most, Samples& cloud,
                 const Progress& progress) {
  SilentProgress silent(progress);
  Samples rows;
  while (cloud.size() < most && stream.read(rows, most - cloud.size(), silent))
    append(cloud, rows.view());
}

}  // namespace

std::optional<SamplePart> MemoryParts::next() {
  if (std::exchange(given_, true)) return std::nullopt;
  return part_;
}

FileParts::FileParts(CloudFiles files, std::size_t samples_a_part, Engine* engine,
                     const Progress& progress)
    : files_(std::move(files)), most_(samples_a_part), engine_(engine), progress_(progress) {
  for (Slot& slot : slots_) {
    slot.cloud.xyz.reserve(3 * most_);
    if (!files_.columns.weight.empty()) slot.cloud.weights.reserve(most_);
  }
}

FileParts::~FileParts() {
  if (ahead_.valid()) ahead_.wait();
}

void FileParts::rewind() {
  if (ahead_.valid()) ahead_.wait();
  if (beginning_ && beginning_->rest) {
    stream_ = std::move(beginning_->rest);
  } else {
    beginning_.reset();
    if (stream_ && std::ranges::count(files_.paths, "-") > 0)
      throw Error(ErrorKind::resources,
                  "standard input can be read only once, and this takes more than that",
                  {"memory_limit", "save the samples to a file, or raise `memory_limit`"});
    stream_ = std::make_unique<io::CloudStream>(files_.paths, files_.columns, files_.non_finite);
  }
  columns_ = stream_->columns();
  read_ahead();
}

void FileParts::fill(Slot& slot) {
  slot.cloud.xyz.clear();
  slot.cloud.weights.clear();
  if (beginning_) {
    const SamplesView first = beginning_->first.view();
    const std::size_t count = std::min(most_, first.size() - taken_);
    append(slot.cloud, first.slice(taken_, count));
    taken_ += count;
    if (taken_ == first.size()) beginning_.reset();
  }
  append_from(*stream_, most_, slot.cloud, progress_);
  slot.counts = stream_->counts();
  if (engine_ && slot.cloud.size() > 0)
    slot.loaded = engine_->load(slot.cloud.view(), std::move(slot.loaded));
}

void FileParts::read_ahead() {
  ahead_ = std::async(std::launch::async, [this, &slot = slots_[reading_]] { fill(slot); });
}

std::optional<SamplePart> FileParts::next() {
  if (!ahead_.valid()) return std::nullopt;  // the end was reached
  ahead_.get();
  const Slot& slot = slots_[reading_];
  counts_ = slot.counts;
  if (slot.cloud.size() == 0) return std::nullopt;
  reading_ = 1 - reading_;
  read_ahead();
  return SamplePart{slot.cloud.view(), slot.loaded.get()};
}

}  // namespace skde
