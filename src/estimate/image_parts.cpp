#include "estimate/image_parts.hpp"

#include <algorithm>
#include <utility>

#include "core/first_failure.hpp"

namespace skde {
namespace {

void clear(Samples& samples) {
  samples.xyz.clear();
  samples.weights.clear();
  samples.widths.clear();
  samples.shapes.clear();
}

}  // namespace

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

/// Samples [taken, ...) in blocks, each by one thread; in their order, whatever the threads are.
void ImageParts::add_blocks(std::size_t block, std::size_t blocks) {
  const SamplesView& points = source_->points;
  const auto which =
      keeps_ && pass_ == 0 ? BoundaryImages::Which::others : BoundaryImages::Which::all;
  blocks_.resize(std::max(blocks_.size(), blocks));
  FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < blocks; ++b)
    failure.keep([&] {
      clear(blocks_[b]);
      const std::size_t first = taken_ + b * block;
      for (std::size_t i = first; i < std::min(first + block, points.size()); ++i)
        images_.append(points, i, pass_, which, blocks_[b]);
    });
  failure.rethrow();
  for (std::size_t b = 0; b < blocks; ++b) append_samples(made_, blocks_[b].view());
  taken_ = std::min(taken_ + block * blocks, points.size());
}

/// The next images of the source. A round yields an eighth of them at the most.
void ImageParts::fill() {
  constexpr std::size_t kBlocks = 64, kShare = 8;
  clear(made_);
  const std::size_t block =
      std::clamp(most_ / kShare / kBlocks / images_.most_images(), std::size_t{1}, most_);
  while (taken_ < source_->points.size() && made_.size() < most_) {
    progress_.throw_if_cancelled();
    const std::size_t left = source_->points.size() - taken_;
    add_blocks(block, std::min(kBlocks, (left + block - 1) / block));
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
    return SamplePart{made_.view(), loaded_.get(), counted, told ? 0 : taken_ - before};
  }
}

}  // namespace skde
