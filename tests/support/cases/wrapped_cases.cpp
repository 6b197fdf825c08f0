#include "support/cases/wrapped_cases.hpp"

#include <algorithm>
#include <vector>

#include "support/cases/case_parts.hpp"
#include "support/volume_comparison.hpp"

namespace skde::test {

WrappedCase wrapped_case_of(std::uint64_t seed) {
  WrappedCase result{spectral_case_of(seed), {}};
  Problem& problem = result.of.problem;
  const Grid& grid = problem.grid();
  Random random(seed + 500);
  BoundaryCase& reference = result.reference;
  const int always = random.below(3);
  for (int axis = 0; axis < 3; ++axis) {
    if (axis != always && random.chance(0.4)) continue;
    const auto a = static_cast<std::size_t>(axis);
    reference.boundaries[a] = Boundary::periodic;
    const double period = static_cast<double>(grid.dims[a]) * grid.spacing[axis];
    problem.periods[axis] = period;
    for (std::size_t i = a; i < result.of.cloud.xyz.size(); i += 3)
      result.of.cloud.xyz[i] = std::clamp(result.of.cloud.xyz[i], grid.lower[axis] - 0.9 * period,
                                          grid.lower[axis] + 1.9 * period);
  }
  reference.cloud = result.of.cloud;
  reference.kernel = problem.kernel.function;
  reference.H = problem.kernel.H;
  reference.grid = grid;
  return result;
}

double wrapped_error(std::string_view engine, const EngineOptions& options,
                     const WrappedCase& wrapped) {
  const Problem& problem = wrapped.of.problem;
  const Volume volume = run_in_parts(engine, options, problem, {wrapped.of.cloud.view()});
  return relative_distance(volume, boundary_density(wrapped.reference));
}

}  // namespace skde::test
