#pragma once

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "core/problem.hpp"
#include "core/space/axis_swap.hpp"

namespace skde {

/// A problem on a grid, in cell units, and the number of threads that work on it.
struct CellProblem {
  Grid grid;
  Kernel kernel;
  Ellipsoid<double> ellipsoid{};
  SampleShapes shapes;
  double amplitude = 0;  ///< value that a sample of weight 1 adds at its own place
  double total_weight = 1;
  int threads = 1;
  bool means = false;  ///< over cells, in place of values at their centres
  AxisSwap axes{};     ///< applied to the samples' coordinates before anything else

  CellProblem(const Problem& problem, int threads_)
      : grid(problem.grid()),
        kernel(problem.kernel),
        ellipsoid(problem.kernel.ellipsoid(grid)),
        shapes(kernel, grid, problem.min_width),
        amplitude(problem.kernel.amplitude() / problem.total_weight),
        total_weight(problem.total_weight),
        threads(threads_),
        means(problem.cells == CellValue::mean) {}

  std::int32_t nx() const { return static_cast<std::int32_t>(grid.dims[0]); }
  std::int32_t ny() const { return static_cast<std::int32_t>(grid.dims[1]); }
  std::int32_t nz() const { return static_cast<std::int32_t>(grid.dims[2]); }
};

}  // namespace skde
