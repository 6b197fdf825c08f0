#include "estimate/sample_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "io/byte_source.hpp"

namespace skde {
namespace {

/// Appends samples up to `most` in all; a stream gives fewer at a time.
void append_from(io::CloudStream& stream, std::size_t most, Samples& cloud,
                 const Progress& progress) {
  SilentProgress silent(progress);
  Samples rows;
  while (cloud.size() < most && stream.read(rows, most - cloud.size(), silent))
    append_samples(cloud, rows.view());
}

}  // namespace

void PassTotals::add(const SamplesView& points) {
  samples += points.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    weight += points.weight(i);
    const Vec3 p = points.point(i);
    for (int axis = 0; axis < 3; ++axis) {
      bounds.lower[axis] = std::min(bounds.lower[axis], p[axis]);
      bounds.upper[axis] = std::max(bounds.upper[axis], p[axis]);
    }
  }
}

bool PassTotals::agrees_with(const PassTotals& other) const {
  constexpr double kRounding = 1e-9;
  return samples == other.samples && bounds == other.bounds &&
         std::abs(weight - other.weight) <= kRounding * std::abs(weight);
}

void require_read_again(const std::vector<std::string>& inputs) {
  const std::string once = io::first_read_once(inputs);
  if (once.empty()) return;
  throw Error(ErrorKind::resources,
              fmt::format("{}: holds more than fits into memory, and can be read only once",
                          io::source_name(once)),
              {"memory_limit",
               "save the samples to a file, raise `memory_limit`, or give `bounds` and "
               "`bandwidth=HX,HY,HZ`, which take one pass"});
}

std::optional<SamplePart> MemoryParts::next() {
  if (std::exchange(given_, true)) return std::nullopt;
  return part_;
}

FileParts::FileParts(CloudFiles files, std::size_t samples_a_part, Engine* engine,
                     const Progress& progress)
    : files_(std::move(files)),
      most_(samples_a_part),
      engine_(engine),
      progress_(progress),
      stamps_(files_.paths) {
  for (Slot& slot : slots_) {
    slot.cloud.xyz.reserve(3 * most_);
    if (files_.columns.weighted()) slot.cloud.weights.reserve(most_);
    if (files_.columns.shaped()) slot.cloud.shapes.reserve(6 * most_);
  }
}

FileParts::~FileParts() {
  if (ahead_.valid()) ahead_.wait();
}

void FileParts::expect(io::InputStamps stamps, std::optional<PassTotals> totals) {
  stamps_ = std::move(stamps);
  expected_ = totals;
}

double FileParts::first_mean_weight() {
  rewind();
  is_rewound_ = true;
  ahead_.wait();
  const PassTotals& first = slots_[reading_].totals;
  return first.samples > 0 ? first.weight / static_cast<double>(first.samples) : 0;
}

void FileParts::rewind() {
  if (std::exchange(is_rewound_, false)) return;
  if (ahead_.valid()) ahead_.wait();
  passing_ = {};
  if (beginning_ && beginning_->rest) {
    stream_ = std::move(beginning_->rest);
  } else {
    beginning_.reset();
    if (stream_) {
      require_read_again(files_.paths);
      stamps_.require_unchanged();
    }
    stream_ = std::make_unique<io::CloudStream>(files_.paths, files_.columns, files_.non_finite);
  }
  columns_ = stream_->columns();
  read_ahead();
}

void FileParts::fill(Slot& slot) {
  slot.cloud.xyz.clear();
  slot.cloud.weights.clear();
  slot.cloud.widths.clear();
  slot.cloud.shapes.clear();
  if (beginning_) {
    const SamplesView first = beginning_->first.view();
    const std::size_t count = std::min(most_, first.size() - taken_);
    append_samples(slot.cloud, first.slice(taken_, count));
    taken_ += count;
    if (taken_ == first.size()) beginning_.reset();
  }
  append_from(*stream_, most_, slot.cloud, progress_);
  slot.counts = stream_->counts();
  passing_.add(slot.cloud.view());
  slot.totals = passing_;
  if (engine_ && slot.cloud.size() > 0)
    slot.loaded = engine_->load(slot.cloud.view(), std::move(slot.loaded));
}

void FileParts::read_ahead() {
  ahead_ = std::async(std::launch::async, [this, &slot = slots_[reading_]] { fill(slot); });
}

void FileParts::require_same_samples(const PassTotals& totals) {
  stamps_.require_unchanged();
  if (expected_ && !expected_->agrees_with(totals))
    throw Error(ErrorKind::input,
                fmt::format("the samples were changed while they were read: {} at first, then {}, "
                            "or others",
                            expected_->samples, totals.samples),
                {{}, "wait until the files are complete, or read copies of them"});
  expected_ = totals;
}

std::optional<SamplePart> FileParts::next() {
  if (!ahead_.valid()) return std::nullopt;  // the end was reached
  ahead_.get();
  const Slot& slot = slots_[reading_];
  counts_ = slot.counts;
  if (slot.cloud.size() == 0) {
    require_same_samples(slot.totals);
    return std::nullopt;
  }
  reading_ = 1 - reading_;
  read_ahead();
  return SamplePart{slot.cloud.view(), slot.loaded.get()};
}

}  // namespace skde
