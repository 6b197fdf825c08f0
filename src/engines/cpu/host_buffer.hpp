#pragma once

#include <utility>

#include "engines/engine.hpp"

namespace skde {

/// The DensityBuffer of the CPU engines: a Volume in host memory.
class HostBuffer final : public DensityBuffer {
 public:
  HostBuffer(const Grid& grid, Precision precision) : volume_(grid, precision) {}
  explicit HostBuffer(Volume volume) : volume_(std::move(volume)) {}

  const Grid& grid() const override { return volume_.grid(); }
  Precision precision() const override { return volume_.precision(); }
  void clear() override { volume_.clear(); }
  ValueTotals totals() override { return {volume_.sum(), volume_.maximum()}; }
  void scale(double factor) override { volume_.scale(factor); }
  Volume take_volume() override { return std::exchange(volume_, Volume()); }

  Volume& volume() { return volume_; }

 private:
  Volume volume_;
};

}  // namespace skde
