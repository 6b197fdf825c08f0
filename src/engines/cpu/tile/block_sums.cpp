#include "engines/cpu/tile/block_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace skde {

template <class Real>
BlockSums<Real>::BlockSums(const PairWork& work)
    : work_(work),
      add_(pair_sums<Real>(work.function, work.shape, work.term)),
      buffers_(std::make_unique<Buffers>()),
      sums_(is_binned(work.term) ? 2 * sums_of(work.term) * static_cast<std::size_t>(work.cut)
                                 : work.groups() * kGroup) {}

template <class Real>
void BlockSums<Real>::place_targets(const SampleRange& range) {
  PairTargets<Real>& to = buffers_->targets;
  box_ = work_.targets.reach_of(range);
  middle_ = box_.centre();
  const std::size_t together = is_binned(work_.term) ? 1 : PairTargets<Real>::kTogether;
  to.count = (range.size() + together - 1) / together * together;
  for (std::size_t t = 0; t < to.count; ++t) {  // the last target is repeated as padding
    const std::size_t at = std::min(range.first + t, range.last - 1);
    const Vec3 place = work_.targets.place(at) - middle_;
    to.x[t] = static_cast<Real>(place.x);
    to.y[t] = static_cast<Real>(place.y);
    to.z[t] = static_cast<Real>(place.z);
    for (std::size_t c = 0; is_binned(work_.term) && c < work_.channels.size(); ++c)
      to.channels[c][t] = static_cast<Real>(work_.channels[c][at]);
  }
}

/// Finds the sources of the range that reach the box. Returns the first channel's sum over the
/// others if it weighs them.
template <class Real>
template <bool Shaped, bool Weighs>
double BlockSums<Real>::choose(const SampleRange& range) {
  const double *const x = work_.sources.x(), *const y = work_.sources.y(),
                      *const z = work_.sources.z();
  const Vec3 middle = middle_, half = 0.5 * box_.extent();
  const double squared = work_.shape == PairShape::ball ? work_.reach * work_.reach : 0;
  auto& chosen = buffers_->chosen;
  double left_out = 0;
  for (std::size_t first = range.first; first < range.last; first += kChunk) {
    const std::size_t count = std::min(kChunk, range.last - first);
    double apart[kChunk];
#pragma omp simd
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = first + k;
      double gx = std::abs(x[i] - middle.x) - half.x, gy = std::abs(y[i] - middle.y) - half.y,
             gz = std::abs(z[i] - middle.z) - half.z;
      if constexpr (Shaped) {
        const Ellipsoid<double>& e = work_.sources.ellipsoids()[i];
        gx -= e.rx;
        gy -= e.ry;
        gz -= e.sz;
      }
      // Twice what is positive. Comparisons would become jumps, which are mispredicted.
      gx += std::abs(gx);
      gy += std::abs(gy);
      gz += std::abs(gz);
      apart[k] = 0.25 * (gx * gx + gy * gy + gz * gz);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const bool counts = apart[k] <= squared;
      chosen[count_] = first + k;
      count_ += static_cast<std::size_t>(counts);
      if constexpr (Weighs) left_out += static_cast<double>(!counts) * work_.channels[0][first + k];
    }
    if (count_ >= PairSources<Real>::kMost) add_chosen(PairSources<Real>::kMost);
  }
  return left_out;
}

/// Sums the first sources found, and keeps the others.
template <class Real>
void BlockSums<Real>::add_chosen(std::size_t count) {
  using Sources = PairSources<Real>;
  Sources& to = buffers_->sources;
  auto& chosen = buffers_->chosen;
  to.vectors = (count + Sources::kVector - 1) / Sources::kVector;
  const std::size_t end = to.vectors * Sources::kVector;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 place = work_.sources.place(chosen[i]) - middle_;
    to.x[i] = static_cast<Real>(place.x);
    to.y[i] = static_cast<Real>(place.y);
    to.z[i] = static_cast<Real>(place.z);
  }
  const auto padding = static_cast<Real>(is_binned(work_.term) ? 1e15 : 0);
  for (std::size_t i = count; i < end; ++i) to.x[i] = to.y[i] = to.z[i] = padding;
  if (work_.shape == PairShape::sources) {
    for (std::size_t i = 0; i < count; ++i)
      to.ellipsoids.put(i, work_.sources.ellipsoids()[chosen[i]]);
    for (std::size_t i = count; i < end; ++i) to.ellipsoids.put(i, {});
  }
  for (std::size_t group = 0; group < work_.groups(); ++group) {
    for (std::size_t c = 0; c < Sources::kChannels; ++c) {
      const std::size_t channel = group * Sources::kChannels + c;
      const bool is_there = channel < work_.channels.size();
      if (!is_there && work_.term != PairTerm::four) break;
      for (std::size_t i = 0; i < end; ++i)
        to.channels[c][i] =
            is_there && i < count ? static_cast<Real>(work_.channels[channel][chosen[i]]) : Real(0);
    }
    add_(to, buffers_->targets, work_.cut, &sums_[group * kGroup]);
  }
  if (work_.term == PairTerm::distances) {
    constexpr std::uint64_t kAdded = Sources::kMost * PairTargets<Real>::kMost;
    packed_ += buffers_->targets.count * end;
    if (packed_ > PackedPairs::kMost - kAdded) unpack();
  }
  std::copy(chosen.begin() + static_cast<std::ptrdiff_t>(count),
            chosen.begin() + static_cast<std::ptrdiff_t>(count_), chosen.begin());
  count_ -= count;
}

template <class Real>
void BlockSums<Real>::unpack() {
  unpacked_.resize(sums_.size());
  for (std::size_t bin = 0; 2 * bin < sums_.size(); ++bin) {
    const auto packed = std::bit_cast<std::uint64_t>(sums_[bin]);
    unpacked_[2 * bin] += static_cast<double>(packed / PackedPairs::kPair);
    unpacked_[2 * bin + 1] +=
        static_cast<double>(packed % PackedPairs::kPair) / PackedPairs::kSteps;
  }
  std::ranges::fill(sums_, 0.0);
  packed_ = 0;
}

template <class Real>
const double* BlockSums<Real>::binned() {
  if (work_.term != PairTerm::distances) return sums_.data();
  unpack();
  return unpacked_.data();
}

template <class Real>
void BlockSums<Real>::begin(const SampleRange& targets) {
  if (!is_binned(work_.term)) std::ranges::fill(sums_, 0.0);
  place_targets(targets);
  count_ = 0;
}

template <class Real>
const double* BlockSums<Real>::end() {
  if (count_ > 0) add_chosen(count_);
  return sums_.data();
}

template <class Real>
const double* BlockSums<Real>::sum(const SampleRange& targets,
                                   std::span<const SampleRange> sources) {
  begin(targets);
  for (const SampleRange& range : sources)
    if (work_.sources.ellipsoids().empty())
      choose<false>(range);
    else
      choose<true>(range);
  return end();
}

template <class Real>
const double* BlockSums<Real>::sum(const SampleRange& targets, std::span<const SampleRange> sources,
                                   double& left_out) {
  begin(targets);
  for (const SampleRange& range : sources) left_out += choose<false, true>(range);
  return end();
}

template class BlockSums<float>;
template class BlockSums<double>;

}  // namespace skde
