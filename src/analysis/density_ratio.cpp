#include "analysis/density_ratio.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/report/error.hpp"

namespace skde {
namespace {

void require_floor(const RatioSpec& spec) {
  if (!(spec.floor >= 0 && spec.floor < 1))
    throw Error(
        ErrorKind::usage,
        fmt::format("the floor must be a share of the peak, from 0 to below 1; got {}", spec.floor),
        {"floor", {}});
  if (spec.logarithm && spec.floor == 0)
    throw Error(ErrorKind::usage,
                "a logarithm of ratios needs a floor, because the logarithm of 0 is infinite",
                {"floor", "give a share of the peak, such as `floor=1e-3`"});
}

}  // namespace

DensityRatio::DensityRatio(const Volume& a, const Volume& b, const RatioSpec& spec)
    : a_(a), b_(b), spec_(spec) {
  require_floor(spec);
  if (spec.normalize) {
    scale_a_ = 1 / a.mass();
    scale_b_ = 1 / b.mass();
  }
  floor_ = spec.floor * scale_b_ * b.maximum();
}

Volume DensityRatio::slices(std::int64_t z, std::int64_t slices) const {
  const Grid slab = slab_of(a_.grid(), z, slices);
  const std::int64_t first = z * slab.dims[0] * slab.dims[1], cells = slab.cells();
  Volume ratios(slab, a_.precision());
  std::visit(
      [&](auto a, auto b) {
        using Real = std::remove_const_t<typename decltype(a)::element_type>;
        const std::span<Real> to = ratios.values<Real>();
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < cells; ++i) {
          const auto from = static_cast<std::size_t>(first + i);
          const double over = std::max(scale_b_ * static_cast<double>(b[from]), floor_);
          double value = scale_a_ * static_cast<double>(a[from]);
          if (spec_.logarithm)
            value = std::log(std::max(value, floor_) / over);
          else
            value = value > 0 ? value / over : 0;  // without a floor, 0 / 0 counts as 0
          to[static_cast<std::size_t>(i)] = static_cast<Real>(value);
        }
      },
      a_.value_span(), b_.value_span());
  return ratios;
}

std::int64_t DensityRatio::floored_cells() const {
  return std::visit(
      [&](auto b) {
        return static_cast<std::int64_t>(std::ranges::count_if(
            b, [&](auto value) { return scale_b_ * static_cast<double>(value) < floor_; }));
      },
      b_.value_span());
}

}  // namespace skde
