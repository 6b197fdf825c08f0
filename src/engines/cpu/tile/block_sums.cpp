#include "engines/cpu/tile/block_sums.hpp"

#include <algorithm>
#include <cmath>

namespace skde {

template <class Real>
BlockSums<Real>::BlockSums(const PairWork& work)
    : work_(work),
      add_(pair_sums<Real>(work.function, work.shape, work.term)),
      buffers_(std::make_unique<Buffers>()),
      sums_(work.groups() * kGroup) {}

template <class Real>
void BlockSums<Real>::place_targets(const SampleRange& range) {
  PairTargets<Real>& to = buffers_->targets;
  box_ = work_.targets.reach_of(range);
  middle_ = box_.centre();
  constexpr std::size_t kTogether = PairTargets<Real>::kTogether;
  to.count = (range.size() + kTogether - 1) / kTogether * kTogether;
  for (std::size_t t = 0; t < to.count; ++t) {  // the last target is repeated as padding
    const std::size_t at = std::min(range.first + t, range.last - 1);
    const Vec3 place = work_.targets.place(at) - middle_;
    to.x[t] = static_cast<Real>(place.x);
    to.y[t] = static_cast<Real>(place.y);
    to.z[t] = static_cast<Real>(place.z);
    if (work_.shape == PairShape::targets) to.ellipsoids.put(t, work_.targets.ellipsoids()[at]);
  }
}

/// Gathers the sources of the range that reach the box.
template <class Real>
template <bool Shaped>
void BlockSums<Real>::choose(const SampleRange& range) {
  constexpr std::size_t kMost = PairSources<Real>::kMost;
  const double *const x = work_.sources.x(), *const y = work_.sources.y(),
                      *const z = work_.sources.z();
  const Vec3 middle = middle_, half = 0.5 * box_.extent();
  const double squared = work_.shape == PairShape::ball ? 1 : 0;
  PairSources<Real>& to = buffers_->sources;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const double dx = x[i] - middle.x, dy = y[i] - middle.y, dz = z[i] - middle.z;
    double gx = std::abs(dx) - half.x, gy = std::abs(dy) - half.y, gz = std::abs(dz) - half.z;
    if constexpr (Shaped) {
      const Ellipsoid<double>& e = work_.sources.ellipsoids()[i];
      gx -= e.rx;
      gy -= e.ry;
      gz -= e.sz;
    }
    gx = std::max(gx, 0.0);
    gy = std::max(gy, 0.0);
    gz = std::max(gz, 0.0);
    to.x[count_] = static_cast<Real>(dx);
    to.y[count_] = static_cast<Real>(dy);
    to.z[count_] = static_cast<Real>(dz);
    buffers_->chosen[count_] = i;
    count_ += gx * gx + gy * gy + gz * gz <= squared ? 1 : 0;
    if (count_ == kMost) add_chosen();
  }
}

template <class Real>
void BlockSums<Real>::add_chosen() {
  using Sources = PairSources<Real>;
  Sources& to = buffers_->sources;
  const auto& chosen = buffers_->chosen;
  to.vectors = (count_ + Sources::kVector - 1) / Sources::kVector;
  const std::size_t end = to.vectors * Sources::kVector;
  for (std::size_t i = count_; i < end; ++i) to.x[i] = to.y[i] = to.z[i] = 0;
  if (work_.shape == PairShape::sources) {
    for (std::size_t i = 0; i < count_; ++i)
      to.ellipsoids.put(i, work_.sources.ellipsoids()[chosen[i]]);
    for (std::size_t i = count_; i < end; ++i) to.ellipsoids.put(i, {});
  }
  for (std::size_t group = 0; group < work_.groups(); ++group) {
    for (std::size_t c = 0; c < Sources::kChannels; ++c) {
      const std::size_t channel = group * Sources::kChannels + c;
      const bool is_there = channel < work_.channels.size();
      if (!is_there && work_.term != PairTerm::four) break;
      for (std::size_t i = 0; i < end; ++i)
        to.channels[c][i] = is_there && i < count_
                                ? static_cast<Real>(work_.channels[channel][chosen[i]])
                                : Real(0);
    }
    add_(to, buffers_->targets, work_.cut, &sums_[group * kGroup]);
  }
  count_ = 0;
}

template <class Real>
const double* BlockSums<Real>::sum(const SampleRange& targets,
                                   std::span<const SampleRange> sources) {
  std::ranges::fill(sums_, 0.0);
  place_targets(targets);
  count_ = 0;
  for (const SampleRange& range : sources)
    if (work_.sources.ellipsoids().empty())
      choose<false>(range);
    else
      choose<true>(range);
  if (count_ > 0) add_chosen();
  return sums_.data();
}

template class BlockSums<float>;
template class BlockSums<double>;

}  // namespace skde
