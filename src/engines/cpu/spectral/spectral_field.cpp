#include "engines/cpu/spectral/spectral_field.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/kernel/b_spline.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/spectral/spectral_spread.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {

SpectralField::SpectralField(const SpectralPlan& plan, int threads)
    : plan_(plan),
      threads_(threads),
      nodes_(static_cast<std::size_t>(plan.row() * plan.axes[1].nodes * plan.axes[2].nodes)),
      along_z_(LineTransform<double>::Kind::forward, plan.axes[2].nodes, kLines) {
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::int32_t k = 0; k < plan_.axes[2].nodes; ++k)
    std::fill_n(nodes_.data() + k * slice(), slice(), std::int64_t{0});
}

void SpectralField::spread(const SamplesView& samples, const RoundSpace& space, double total,
                           Progress& progress, const std::optional<Box>& box) {
  constexpr std::size_t kPart = std::size_t{1} << 22;
  constexpr double kFar = -1e200;
  constexpr Vec3 kNowhere{kFar, kFar, kFar};  // before all nodes, so that the spread drops it
  SpectralSpread spread(plan_, total, threads_);
  std::vector<double> places(3 * std::min(kPart, samples.size()));
  for (std::size_t first = 0; first < samples.size(); first += kPart) {
    const SamplesView part = samples.slice(first, std::min(kPart, samples.size() - first));
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::size_t i = 0; i < part.size(); ++i) {
      Vec3 u = space(part.point(i));
      if (box && !box->holds(u)) u = kNowhere;
      for (int a = 0; a < 3; ++a) places[3 * i + static_cast<std::size_t>(a)] = u[a];
    }
    spread.sort({std::span(places).first(3 * part.size()), part.weights}, progress);
    spread.add(nodes_.data(), progress);
  }
}

void SpectralField::transform_slices(Progress& progress) {
  using Line = LineTransform<double>;
  const std::int32_t nx = plan_.axes[0].nodes, ny = plan_.axes[1].nodes, nz = plan_.axes[2].nodes;
  const Line row(Line::Kind::to_complex, nx), column(Line::Kind::forward, ny, kLines);
  SharedProgress shared(progress, "transform", static_cast<std::uint64_t>(nz), "slices");
  std::atomic<bool> stopped = false;
#pragma omp parallel num_threads(threads_)
  {
    AlignedArray<double, double> real(static_cast<std::size_t>(plan_.row()));
    AlignedArray<double, std::complex<double>> lines(
        static_cast<std::size_t>(std::max(nx, kLines * ny)));
#pragma omp for schedule(dynamic, 1)
    for (std::int32_t k = 0; k < nz; ++k) {
      if (stopped) continue;
      for (std::int32_t j = 0; j < ny; ++j) {
        std::int64_t* const sums = nodes_.data() + k * slice() + j * plan_.row();
        for (std::int32_t i = 0; i < nx; ++i)
          real.data()[i] = static_cast<double>(sums[i]) / plan_.numbers;
        row.run(real.data(), lines.data());
        std::memcpy(sums, lines.data(), static_cast<std::size_t>(plan_.row()) * sizeof(double));
      }
      for (std::int32_t i = 0; i < columns(); i += kLines) {
        for (std::int32_t j = 0; j < ny; ++j)
          std::copy_n(at(i, j, k), lanes_from(i), lines.data() + kLines * j);
        column.run(lines.data());
        for (std::int32_t j = 0; j < ny; ++j)
          std::copy_n(lines.data() + kLines * j, lanes_from(i), at(i, j, k));
      }
      if (!shared.advance(1)) stopped = true;
    }
  }
  shared.finish();
}

void SpectralField::transform_lines(std::int32_t i, std::int32_t j,
                                    std::complex<double>* lines) const {
  for (std::int32_t k = 0; k < plan_.axes[2].nodes; ++k)
    std::copy_n(at(i, j, k), lanes_from(i), lines + kLines * k);
  along_z_.run(lines);
}

void SpectralField::multiply_row(const SpectralField& from, std::int32_t j,
                                 const std::array<std::vector<double>, 3>& factors,
                                 const LineTransform<double>& back, std::complex<double>* lines) {
  const std::int32_t nz = plan_.axes[2].nodes;
  for (std::int32_t i = 0; i < columns(); i += kLines) {
    from.transform_lines(i, j, lines);
    const std::int32_t lanes = lanes_from(i);
    for (std::int32_t k = 0; k < nz; ++k) {
      const double factor =
          factors[1][static_cast<std::size_t>(j)] * factors[2][static_cast<std::size_t>(k)];
      for (std::int32_t lane = 0; lane < lanes; ++lane)
        lines[kLines * k + lane] *=
            factor * factors[0][static_cast<std::size_t>(i) + static_cast<std::size_t>(lane)];
    }
    back.run(lines);
    for (std::int32_t k = 0; k < nz; ++k)
      std::copy_n(lines + kLines * k, lanes_from(i), at(i, j, k));
  }
}

void SpectralField::transform_slice_back(std::int32_t k, const LineTransform<double>& row,
                                         const LineTransform<double>& column,
                                         std::complex<double>* lines) {
  const std::int32_t ny = plan_.axes[1].nodes;
  for (std::int32_t i = 0; i < columns(); i += kLines) {
    for (std::int32_t j = 0; j < ny; ++j)
      std::copy_n(at(i, j, k), lanes_from(i), lines + kLines * j);
    column.run(lines);
    for (std::int32_t j = 0; j < ny; ++j)
      std::copy_n(lines + kLines * j, lanes_from(i), at(i, j, k));
  }
  AlignedArray<double, double> real(static_cast<std::size_t>(plan_.row()));
  for (std::int32_t j = 0; j < ny; ++j) {
    std::copy_n(at(0, j, k), columns(), lines);
    row.run(lines, real.data());
    std::memcpy(nodes_.data() + k * slice() + j * plan_.row(), real.data(),
                static_cast<std::size_t>(plan_.axes[0].nodes) * sizeof(double));
  }
}

void SpectralField::multiply(const SpectralField& from, const AxisFactor& factor,
                             Progress& progress) {
  using Line = LineTransform<double>;
  const std::int32_t nx = plan_.axes[0].nodes, ny = plan_.axes[1].nodes, nz = plan_.axes[2].nodes;
  std::array<std::vector<double>, 3> factors;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::int32_t f = 0; f < plan_.axes[a].nodes; ++f) factors[a].push_back(factor(a, f));
  const Line row(Line::Kind::to_real, nx), column(Line::Kind::backward, ny, kLines),
      along_z(Line::Kind::backward, nz, kLines);
  SharedProgress shared(progress, "transform back",
                        static_cast<std::uint64_t>(ny) + static_cast<std::uint64_t>(nz), "slices");
  std::atomic<bool> stopped = false;
#pragma omp parallel num_threads(threads_)
  {
    const std::int32_t longest = std::max(nx, kLines * std::max(ny, nz));
    const auto room = static_cast<std::size_t>(longest);
    AlignedArray<double, std::complex<double>> lines(room);
    std::fill_n(lines.data(), room, 0.0);  // lanes past the last column are read
#pragma omp for schedule(dynamic, 1)
    for (std::int32_t j = 0; j < ny; ++j) {
      if (stopped) continue;
      multiply_row(from, j, factors, along_z, lines.data());
      if (!shared.advance(1)) stopped = true;
    }
#pragma omp for schedule(dynamic, 1)
    for (std::int32_t k = 0; k < nz; ++k) {
      if (stopped) continue;
      transform_slice_back(k, row, column, lines.data());
      if (!shared.advance(1)) stopped = true;
    }
  }
  shared.finish();
}

namespace {

/// Writes the value at u: the nodes around it, weighted by the products of three splines. With 4
/// numbers, its gradient follows.
template <int M, std::size_t Numbers>
[[gnu::always_inline]] inline void blend(const double* nodes, const SpectralPlan& plan, Vec3 u,
                                         double* to) {
  constexpr bool kSlopes = Numbers == 4;
  double spline[3][M], slope[3][M];
  std::int64_t first[3];
  for (std::size_t a = 0; a < 3; ++a) {
    const double at = plan.axes[a].node_at(u[static_cast<int>(a)]);
    const double node = std::floor(at);
    first[a] = static_cast<std::int64_t>(node) - M / 2 + 1;
    b_spline_values<M>(at - node, spline[a], kSlopes ? slope[a] : nullptr);
  }
  double rows[kSlopes ? 3 : 1][M] = {};  // blended along y and z; their derivatives by y and z
  for (std::int64_t k = 0; k < M; ++k)
    for (std::int64_t j = 0; j < M; ++j) {
      const double* const row =
          nodes + ((first[2] + k) * plan.axes[1].nodes + first[1] + j) * plan.row() + first[0];
      for (int i = 0; i < M; ++i) {
        rows[0][i] += spline[2][k] * spline[1][j] * row[i];
        if constexpr (!kSlopes) continue;
        rows[1][i] += spline[2][k] * slope[1][j] * row[i];
        rows[2][i] += slope[2][k] * spline[1][j] * row[i];
      }
    }
  const auto along = [](const double* row, const double* with) {
    return std::inner_product(row, row + M, with, 0.0);
  };
  to[0] = along(rows[0], spline[0]);
  if constexpr (!kSlopes) return;
  const double slopes[] = {along(rows[0], slope[0]), along(rows[1], spline[0]),
                           along(rows[2], spline[0])};
  for (std::size_t a = 0; a < 3; ++a) to[1 + a] = slopes[a] / plan.axes[a].spacing;
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_BLEND(NAME, TARGET)                                                 \
  template <int M, std::size_t Numbers>                                          \
  TARGET void NAME(const double* nodes, const SpectralPlan& plan, const Vec3* u, \
                   std::size_t count, double* to) {                              \
    for (std::size_t i = 0; i < count; ++i)                                      \
      blend<M, Numbers>(nodes, plan, u[i], to + Numbers * i);                    \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_BLEND(blend_avx512, SKDE_AVX512)
SKDE_BLEND(blend_avx2, SKDE_AVX2)
#endif
SKDE_BLEND(blend_any, )
#undef SKDE_BLEND

template <int M, std::size_t Numbers>
auto best_blend() {
#if defined(__x86_64__)
  if (vector_instructions() == VectorInstructions::avx512) return blend_avx512<M, Numbers>;
  if (vector_instructions() == VectorInstructions::avx2) return blend_avx2<M, Numbers>;
#endif
  return blend_any<M, Numbers>;
}

}  // namespace

std::vector<double> SpectralField::values_at(const SamplesView& samples, const RoundSpace& space,
                                             Progress& progress) const {
  return read_at<1>(samples, space, progress);
}

std::vector<double> SpectralField::gradients_at(const SamplesView& samples, const RoundSpace& space,
                                                Progress& progress) const {
  return read_at<4>(samples, space, progress);
}

template <std::size_t Numbers>
std::vector<double> SpectralField::read_at(const SamplesView& samples, const RoundSpace& space,
                                           Progress& progress) const {
  constexpr std::size_t kBlock = 1024;
  std::vector<double> values(Numbers * samples.size());
  const auto* const nodes = reinterpret_cast<const double*>(nodes_.data());
  SharedProgress shared(progress, "read", samples.size(), "samples");
  std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
  for (std::size_t first = 0; first < samples.size(); first += kBlock) {
    if (stopped) continue;
    const std::size_t end = std::min(first + kBlock, samples.size());
    std::array<Vec3, kBlock> places;
    for (std::size_t i = first; i < end; ++i) places[i - first] = space(samples.point(i));
    with_spline_order(plan_.order, [&](auto m) {
      best_blend<m, Numbers>()(nodes, plan_, places.data(), end - first, &values[Numbers * first]);
    });
    if (!shared.advance(end - first)) stopped = true;
  }
  shared.finish();
  return values;
}

std::complex<double>* SpectralField::at(std::int32_t i, std::int32_t j, std::int32_t k) {
  return reinterpret_cast<std::complex<double>*>(nodes_.data() + k * slice() + j * plan_.row()) + i;
}

const std::complex<double>* SpectralField::at(std::int32_t i, std::int32_t j,
                                              std::int32_t k) const {
  const std::int64_t* const row = nodes_.data() + k * slice() + j * plan_.row();
  return reinterpret_cast<const std::complex<double>*>(row) + i;
}

std::int32_t SpectralField::lanes_from(std::int32_t i) const {
  return std::min(kLines, columns() - i);
}

}  // namespace skde
