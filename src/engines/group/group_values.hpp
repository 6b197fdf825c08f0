#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engines/value_buffer.hpp"

namespace skde {

/// The values of a slab, and the slab's first slice.
struct SlabValues {
  std::int64_t first = 0;
  std::unique_ptr<ValueBuffer> values;
};

/// The values of a grid whose slabs lie on several devices.
class GroupValues final : public ValueBuffer {
 public:
  /// `slabs` must be all slabs of the grid, at least one.
  GroupValues(const Grid& grid, std::vector<SlabValues> slabs)
      : target_(grid), slabs_(std::move(slabs)) {}

  const Target& target() const override { return target_; }
  Precision precision() const override { return slabs_.front().values->precision(); }
  ValueTotals totals() override;
  void scale(double factor) override;
  Volume take_volume() override;
  void put_slices(Volume& whole, std::int64_t first) override;
  /// Throws std::bad_variant_access: the target is a grid.
  std::vector<double> take_point_values() override;

  /// Hands over the memory of the slabs.
  std::vector<SlabValues> release() { return std::move(slabs_); }

 private:
  Target target_;
  std::vector<SlabValues> slabs_;
};

}  // namespace skde
