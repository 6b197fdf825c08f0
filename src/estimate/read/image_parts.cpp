#include "estimate/read/image_parts.hpp"

#include <algorithm>
#include <utility>

namespace skde {

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
