#include "engines/cpu/spectral_field.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/spectral_spread.hpp"

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
                           Progress& progress) {
  constexpr std::size_t kPart = std::size_t{1} << 22;
  SpectralSpread spread(plan_, total, threads_);
  std::vector<double> places(3 * std::min(kPart, samples.size()));
  for (std::size_t first = 0; first < samples.size(); first += kPart) {
    const SamplesView part = samples.slice(first, std::min(kPart, samples.size() - first));
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Vec3 u = space(part.point(i));
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
          real.data()[i] = static_cast<double>(sums[i]) / kSpectralWeight;
        row.run(real.data(), lines.data());
        std::memcpy(sums, lines.data(), static_cast<std::size_t>(plan_.row()) * sizeof(double));
      }
      for (std::int32_t i = 0; i < columns(); i += kLines) {
        for (std::int32_t j = 0; j < ny; ++j)
          std::memcpy(lines.data() + kLines * j, at(i, j, k), bytes_from(i));
        column.run(lines.data());
        for (std::int32_t j = 0; j < ny; ++j)
          std::memcpy(const_cast<std::complex<double>*>(at(i, j, k)), lines.data() + kLines * j,
                      bytes_from(i));
      }
      if (!shared.advance(1)) stopped = true;
    }
  }
  shared.finish();
}

void SpectralField::transform_lines(std::int32_t i, std::int32_t j,
                                    std::complex<double>* lines) const {
  for (std::int32_t k = 0; k < plan_.axes[2].nodes; ++k)
    std::memcpy(lines + kLines * k, at(i, j, k), bytes_from(i));
  along_z_.run(lines);
}

const std::complex<double>* SpectralField::at(std::int32_t i, std::int32_t j,
                                              std::int32_t k) const {
  const std::int64_t* const row = nodes_.data() + k * slice() + j * plan_.row();
  return reinterpret_cast<const std::complex<double>*>(row) + i;
}

std::size_t SpectralField::bytes_from(std::int32_t i) const {
  return static_cast<std::size_t>(std::min(kLines, columns() - i)) * sizeof(std::complex<double>);
}

}  // namespace skde
