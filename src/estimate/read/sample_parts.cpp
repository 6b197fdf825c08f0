#include "estimate/read/sample_parts.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/report/error.hpp"
#include "estimate/values/memory_plan.hpp"
#include "io/bytes/byte_source.hpp"

namespace skde {

CloudBeginning begin_cloud(const CloudFiles& files) {
  return {{},
          std::make_unique<io::CloudStream>(files.paths, files.columns, files.non_finite,
                                            io::ReadingPlan{.files = files.open})};
}

PassTotals PassTotals::of(const Moments& moments) {
  if (moments.count() == 0) return {};
  return {moments.count(), moments.total_weight(), moments.bounds()};
}

bool PassTotals::agrees_with(const PassTotals& other) const {
  constexpr double kRounding = 1e-9;
  return samples == other.samples && bounds == other.bounds &&
         std::abs(weight - other.weight) <= kRounding * std::abs(weight);
}

void require_read_again(const std::vector<std::string>& inputs, std::int64_t memory) {
  const std::string once = io::first_read_once(inputs);
  if (once.empty()) return;
  const std::string limit = format_bytes(static_cast<double>(memory)),
                    own = format_bytes(static_cast<double>(kProgramBytes));
  if (memory > 0 && memory <= kProgramBytes)
    throw Error(
        ErrorKind::resources,
        fmt::format("a limit of {} leaves no memory for samples, because skde itself needs {}",
                    limit, own),
        {"memory_limit", fmt::format("raise `memory_limit` to {} or more",
                                     format_bytes(1.25 * static_cast<double>(kProgramBytes)))});
  throw Error(
      ErrorKind::resources,
      fmt::format(
          "{}: its samples do not fit into memory{}, and it can be read only once",
          io::source_name(once),
          memory > 0 ? fmt::format(" ({}, of which skde itself needs {})", limit, own) : ""),
      {"memory_limit",
       "raise `memory_limit`, save the samples to a file, or give `bounds` and "
       "`bandwidth=HX,HY,HZ` to read it in one pass"});
}

std::optional<SamplePart> MemoryParts::next() {
  if (std::exchange(given_, true)) return std::nullopt;
  return part_;
}

std::optional<SamplePart> SlicedParts::next() {
  if (given_ == ends_.size()) return std::nullopt;
  const std::size_t begin = given_ == 0 ? 0 : ends_[given_ - 1];
  const SamplesView points = samples_->view().slice(begin, ends_[given_++] - begin);
  loaded_ = engine_.load(points, std::move(loaded_));
  SamplePart part{points, loaded_.get()};
  part.owner = samples_;
  return part;
}

FileParts::FileParts(CloudFiles files, std::size_t samples_a_part, Engine* engine,
                     const Progress& progress, int parts_held)
    : files_(std::move(files)),
      most_(samples_a_part),
      engine_(engine),
      progress_(progress),
      stamps_(files_.paths) {
  const bool on_device = engine != nullptr && engine->traits().device != Device::cpu;
  if (parts_held <= 0) parts_held = held_parts(on_device);
  for (int i = 0; i < parts_held; ++i)
    rooms_.push_back(std::make_unique<SampleRoom>(most_, files_.columns));
}

FileParts::~FileParts() { end_pass(); }

void FileParts::end_pass() {
  if (filler_) filler_->stop();
  if (ahead_.valid()) ahead_.wait();
  ahead_ = {};
  filler_.reset();
}

void FileParts::expect(io::InputStamps stamps, std::optional<PassTotals> totals) {
  stamps_ = std::move(stamps);
  expected_ = totals;
}

double FileParts::first_mean_weight() {
  rewind();
  is_rewound_ = true;
  ahead_.wait();
  if (!part_) return 0;
  Moments first;
  for (const PartStatistics::Block& block : part_->blocks) first.merge(block.moments);
  return first.count() > 0 ? first.total_weight() / static_cast<double>(first.count()) : 0;
}

void FileParts::read_ahead() {
  begin_pass();
  is_begun_ = true;
}

void FileParts::rewind() {
  if (std::exchange(is_rewound_, false)) return;
  if (!std::exchange(is_begun_, false)) begin_pass();
  load_ahead();
}

void FileParts::begin_pass() {
  end_pass();
  CloudBeginning beginning;
  if (beginning_) {
    beginning = *std::exchange(beginning_, std::nullopt);
  } else {
    if (was_read_) {
      require_read_again(files_.paths);
      stamps_.require_unchanged();
    }
    beginning = begin_cloud(files_);
  }
  pass_.columns = beginning.rest->columns();
  std::vector<SampleRoom*> rooms;
  for (const auto& room : rooms_) rooms.push_back(room.get());
  pass_.moments = {};
  holds_part_ = false;
  filler_ = std::make_unique<PartFiller>(rooms, most_, std::move(beginning.first),
                                         std::move(beginning.rest), std::exchange(look_, nullptr),
                                         !expected_.has_value(), progress_);
  was_read_ = true;
}

/// Loads on a thread of its own or, if there is nothing to load, on the thread that waits for the
/// part.
void FileParts::load_ahead() {
  const auto when = engine_ != nullptr ? std::launch::async : std::launch::deferred;
  ahead_ = std::async(when, [this, &loaded = loaded_[loading_]] {
    part_ = filler_->next();
    if (part_ && engine_) loaded = engine_->load(part_->points, std::move(loaded));
  });
}

void FileParts::require_same_samples() {
  stamps_.require_unchanged();
  const PassTotals totals = PassTotals::of(pass_.moments);
  if (expected_ && !expected_->agrees_with(totals))
    throw Error(ErrorKind::input,
                fmt::format("the samples changed while they were read: {} in the first pass, {} in "
                            "the next, or other values",
                            expected_->samples, totals.samples),
                {{}, "wait until the files are complete, or read copies of them"});
  expected_ = totals;
}

std::optional<SamplePart> FileParts::next() {
  if (!ahead_.valid()) return std::nullopt;  // the end was reached before
  if (std::exchange(holds_part_, false)) filler_->release();
  ahead_.get();
  if (!part_) {
    pass_.counts = filler_->counts();
    require_same_samples();
    return std::nullopt;
  }
  for (const PartStatistics::Block& block : part_->blocks) pass_.moments.merge(block.moments);
  SamplePart part{part_->points, loaded_[loading_].get()};
  part.blocks = part_->blocks;
  part.found = part_->found;
  holds_part_ = true;
  loading_ = 1 - loading_;
  load_ahead();
  return part;
}

ImageParts::ImageParts(std::unique_ptr<SampleParts> parts, BoundaryImages images, Engine& engine,
                       std::size_t images_a_part, bool keeps, const Progress& progress)
    : parts_(std::move(parts)),
      images_(std::move(images)),
      engine_(engine),
      most_(images_a_part),
      keeps_(keeps),
      progress_(progress) {}

void ImageParts::rewind() {
  parts_->rewind();
  source_.reset();
}

/// Makes the next images of the source; a round makes at most an eighth of `most_`.
void ImageParts::fill() {
  constexpr std::size_t kShare = 8;
  const auto which =
      keeps_ && pass_ == 0 ? BoundaryImages::Which::others : BoundaryImages::Which::all;
  const std::size_t round =
      std::clamp(most_ / kShare / images_.most_images(), std::size_t{1}, most_);
  made_.clear();
  while (taken_ < source_->points.size() && made_.size() < most_) {
    progress_.throw_if_cancelled();
    const std::size_t count = std::min(round, source_->points.size() - taken_);
    images_.append_all(source_->points.slice(taken_, count), pass_, which, scratch_, made_);
    taken_ += count;
  }
}

std::optional<SamplePart> ImageParts::next() {
  while (true) {
    SamplesView counted;
    if (!source_ || taken_ == source_->points.size()) {
      source_ = parts_->next();
      taken_ = 0;
      if (!source_) return std::nullopt;
      if (keeps_ && pass_ == 0) return source_;
      counted = source_->points;
    }
    const std::size_t before = taken_;
    fill();
    const bool told = keeps_ && pass_ == 0;
    if (made_.size() == 0 && counted.size() == 0) continue;
    loaded_ = engine_.load(made_.view(), std::move(loaded_));
    SamplePart part{made_.view(), loaded_.get(), counted, told ? 0 : taken_ - before};
    if (counted.size() > 0) {
      part.blocks = source_->blocks;
      part.found = source_->found;
      part.owner = source_->owner;
    }
    return part;
  }
}

}  // namespace skde
