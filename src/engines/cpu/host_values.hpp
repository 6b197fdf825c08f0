#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engines/value_buffer.hpp"

namespace skde {

/// The values of CPU engines, in host memory. Values at points are stored as a volume of one row.
class HostValues final : public ValueBuffer {
 public:
  explicit HostValues(const Problem& problem)
      : target_(problem.target), volume_(storage_grid(problem.target), problem.precision) {}
  /// Wraps an existing volume.
  explicit HostValues(Volume volume) : target_(volume.grid()), volume_(std::move(volume)) {}

  const Target& target() const override { return target_; }
  Precision precision() const override { return volume_.precision(); }
  ValueTotals totals() override { return {volume_.sum(), volume_.maximum()}; }
  void scale(double factor) override { volume_.scale(factor); }
  Volume take_volume() override;
  void put_slices(Volume& whole, std::int64_t first) override;
  std::vector<double> take_point_values() override;

  const Volume* on_host() override {
    return std::holds_alternative<Grid>(target_) ? &volume_ : nullptr;
  }

  /// Takes the target of a problem that fits(), and sets all values to 0 on these threads.
  void begin(const Problem& problem, int threads) {
    target_ = problem.target;
    volume_.move_to(storage_grid(target_));
    volume_.clear(threads);
  }
  Volume& volume() { return volume_; }
  template <class Real>
  std::span<Real> values() {
    return volume_.values<Real>();
  }

 private:
  static Grid storage_grid(const Target& target);

  Target target_;
  Volume volume_;
};

}  // namespace skde
