#include "engines/group/group_values.hpp"

#include <algorithm>

#include "engines/group/member_threads.hpp"

namespace skde {

ValueTotals GroupValues::totals() {
  std::vector<ValueTotals> totals(slabs_.size());
  by_member_threads(slabs_.size(), [&](std::size_t i) { totals[i] = slabs_[i].values->totals(); });
  ValueTotals all{0, totals.front().maximum};
  for (const ValueTotals& slab : totals) {
    all.sum += slab.sum;
    all.maximum = std::max(all.maximum, slab.maximum);
  }
  return all;
}

void GroupValues::scale(double factor) {
  by_member_threads(slabs_.size(), [&](std::size_t i) { slabs_[i].values->scale(factor); });
}

Volume GroupValues::take_volume() {
  Volume whole(grid(), precision());
  put_slices(whole, 0);
  return whole;
}

void GroupValues::put_slices(Volume& whole, std::int64_t first) {
  by_member_threads(slabs_.size(), [&](std::size_t i) {
    slabs_[i].values->put_slices(whole, first + slabs_[i].first);
  });
}

std::vector<double> GroupValues::take_point_values() {
  static_cast<void>(std::get<TargetPoints>(target_));
  return {};
}

}  // namespace skde
