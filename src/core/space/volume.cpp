#include "core/space/volume.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

void require_size(const Grid& grid, std::size_t size) {
  if (static_cast<std::int64_t>(size) != grid.cells())
    throw std::invalid_argument("Volume: the number of values differs from the number of cells");
}

/// Returns the threads that go over so many values.
int threads_for(std::int64_t values) {
  constexpr double kSecondsAValue = 1e-9;  // sums, which take longest
  return threads_worth(kSecondsAValue * static_cast<double>(values), thread_count(0));
}

}  // namespace

Volume::Volume(const Grid& grid, Precision precision) : grid_(grid) {
  const auto cells = static_cast<std::size_t>(grid.cells());
  if (precision == Precision::f32)
    values_ = zeros_in_huge_pages<float>(cells);
  else
    values_ = zeros_in_huge_pages<double>(cells);
}

Volume::Volume(const Grid& grid, std::vector<float> values)
    : grid_(grid), values_(std::move(values)) {
  require_size(grid_, this->values<float>().size());
}

Volume::Volume(const Grid& grid, std::vector<double> values)
    : grid_(grid), values_(std::move(values)) {
  require_size(grid_, this->values<double>().size());
}

ValueSpan Volume::value_span() const {
  return std::visit([](const auto& v) { return ValueSpan(std::span(v)); }, values_);
}

double Volume::at(std::int64_t i, std::int64_t j, std::int64_t k) const {
  const auto index = static_cast<std::size_t>((k * grid_.dims[1] + j) * grid_.dims[0] + i);
  return std::visit([&](const auto& v) { return static_cast<double>(v[index]); }, values_);
}

double Volume::at(Vec3 world) const {
  if (const auto cell = grid_.cell_at(world)) return at((*cell)[0], (*cell)[1], (*cell)[2]);
  const Box box = grid_.bounds();
  throw Error(ErrorKind::usage,
              fmt::format("({:g}, {:g}, {:g}) must lie within the grid, which spans ({:g}, {:g}, "
                          "{:g}) to ({:g}, {:g}, {:g})",
                          world.x, world.y, world.z, box.lower.x, box.lower.y, box.lower.z,
                          box.upper.x, box.upper.y, box.upper.z),
              {"bounds", {}});
}

double Volume::maximum() const {
  return std::visit(
      [](const auto& v) {
        const auto size = static_cast<std::int64_t>(v.size());
        auto most = v.empty() ? 0 : v.front();
#pragma omp parallel for schedule(static) reduction(max : most) num_threads(threads_for(size))
        for (std::int64_t i = 0; i < size; ++i)
          most = std::max(most, v[static_cast<std::size_t>(i)]);
        return static_cast<double>(most);
      },
      values_);
}

double Volume::sum_of(std::int64_t z, std::int64_t slices) const {
  // Blocks have a fixed size and are added in order: the sum does not depend on the number of
  // threads, and rounding does not grow with the number of cells.
  constexpr std::int64_t kBlock = 1 << 16;
  const std::int64_t slice = grid_.dims[0] * grid_.dims[1];
  const std::int64_t begin = z * slice, end = (z + slices) * slice;
  std::vector<double> parts(static_cast<std::size_t>((end - begin + kBlock - 1) / kBlock));
  const auto count = static_cast<std::int64_t>(parts.size());
  std::visit(
      [&](const auto& v) {
#pragma omp parallel for schedule(static) num_threads(threads_for(end - begin))
        for (std::int64_t block = 0; block < count; ++block) {
          const std::int64_t first = begin + block * kBlock, last = std::min(first + kBlock, end);
          double part = 0;
          for (std::int64_t i = first; i < last; ++i)
            part += static_cast<double>(v[static_cast<std::size_t>(i)]);
          parts[static_cast<std::size_t>(block)] = part;
        }
      },
      values_);
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

void Volume::clear(int threads) {
  std::visit(
      [threads](auto& v) {
        using Real = typename std::decay_t<decltype(v)>::value_type;
        const auto size = static_cast<std::int64_t>(v.size());
        constexpr std::int64_t kBlock = 1 << 18;
#pragma omp parallel for schedule(static) num_threads(std::min(threads, threads_for(size)))
        for (std::int64_t first = 0; first < size; first += kBlock)
          std::fill_n(v.begin() + first, std::min(kBlock, size - first), Real(0));
      },
      values_);
}

void Volume::move_to(const Grid& grid) {
  if (grid.dims != grid_.dims)
    throw std::invalid_argument("Volume: the grid has other numbers of cells");
  grid_ = grid;
}

void Volume::scale(double factor) {
  std::visit(
      [&](auto& v) {
        using Real = typename std::decay_t<decltype(v)>::value_type;
        const auto size = static_cast<std::int64_t>(v.size());
#pragma omp parallel for schedule(static) num_threads(threads_for(size))
        for (std::int64_t i = 0; i < size; ++i) {
          Real& value = v[static_cast<std::size_t>(i)];
          value = static_cast<Real>(value * factor);
        }
      },
      values_);
}

void Volume::add(const Volume& other) {
  std::visit(
      [&](auto& v) {
        const auto more = other.values<typename std::decay_t<decltype(v)>::value_type>();
        const auto size = static_cast<std::int64_t>(v.size());
#pragma omp parallel for schedule(static) num_threads(threads_for(size))
        for (std::int64_t i = 0; i < size; ++i)
          v[static_cast<std::size_t>(i)] += more[static_cast<std::size_t>(i)];
      },
      values_);
}

}  // namespace skde
