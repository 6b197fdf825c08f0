#pragma once

#include <string>
#include <vector>

#include "core/space/volume.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace skde::test {

/// Cells that are not cubes, and an origin far from 0 that float cannot represent.
inline Grid odd_grid(std::array<std::int64_t, 3> dims) {
  return {{1e6 + 0.1, -2.3, 1 / 3.0}, {0.1, 0.7, 12.3}, dims};
}

/// The last cell of the first row, (nx - 1, 0, 0), has the value 100. All others rise in memory
/// order, except that some are 0.
template <class Real>
Volume marked_volume(const Grid& grid) {
  std::vector<Real> values(static_cast<std::size_t>(grid.cells()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i % 5 == 1 ? Real(0) : static_cast<Real>(static_cast<double>(i) / 7);
  values[static_cast<std::size_t>(grid.dims[0] - 1)] = 100;
  return {grid, std::move(values)};
}

inline DensityMetadata full_metadata() {
  DensityMetadata m;
  m.kernel = KernelFunction::biweight;
  m.H = {1.1, 0.1, -0.2, 2.5, 1 / 3.0, 1e-7};
  m.h = 0.123456789012345678;
  m.bandwidth_source = "scott";
  m.adaptive = 0.25;
  m.sharpened = true;
  m.measured_error = 3.5e-7;
  m.measured_cells = 500;
  m.samples = 123456789012;
  m.total_weight = 1 / 7.0;
  m.effective_samples = 1e5 / 3;
  m.mass_in_box = 0.987654321;
  m.normalization = Normalization::count;
  m.boundaries = {Boundary::periodic, Boundary::none, Boundary::reflect};
  m.units = "km";
  m.engine = "openmp";
  m.command_line = "skde density 'a b.csv' -o \"x<y>&z.vti\" \\ --columns l,ä";
  m.version = "1.2.3";
  return m;
}

}  // namespace skde::test
