#pragma once

#include <fstream>
#include <string>

#include "core/cloud/synthetic_cloud.hpp"
#include "core/space/grid.hpp"
#include "estimate/values/request.hpp"

namespace skde::test {

/// Returns samples of the five Gaussians, with weights 1, 2, 3, 1, ... if `weighted`.
inline Samples gaussian_cloud(std::size_t count, bool weighted = false) {
  Samples cloud = make_five_gaussians(5, 0, count);
  for (std::size_t i = 0; weighted && i < count; ++i)
    cloud.weights.push_back(static_cast<double>(1 + i % 3));
  return cloud;
}

/// Writes the samples as text.
inline void write_text(std::ostream& file, const SamplesView& points) {
  file.precision(17);
  for (std::size_t i = 0; i < points.size(); ++i)
    file << points.point(i).x << ' ' << points.point(i).y << ' ' << points.point(i).z << '\n';
}

inline CloudFiles text_file(const std::string& path, const SamplesView& points) {
  std::ofstream file(path);
  write_text(file, points);
  return {{path}, {}, io::NonFinite::drop};
}

/// Returns a request for n^3 cells in the benchmark's box, on the CPU.
inline DensityRequest cube_request(std::int64_t n, double h, const std::string& engine = "span") {
  return {.bandwidth = {.bandwidth = h},
          .grid = {.bounds = benchmark_box(), .dims = {{n, n, n}}},
          .engine = engine,
          .device = Device::cpu};
}

}  // namespace skde::test
