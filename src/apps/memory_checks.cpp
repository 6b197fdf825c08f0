#include "apps/memory_checks.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "apps/machine_memory.hpp"
#include "apps/number_format.hpp"

namespace skde::apps {
namespace {

void require_memory(const Grid& grid, Precision precision) {
  require_grid_fits(grid, precision, available_memory());
}

}  // namespace

void check_known_grid(const DensityRequest& request) {
  const GridSpec& spec = request.grid;
  const bool counts_given = spec.dims && (*spec.dims)[1] > 0;
  if (request.like)
    require_memory(*request.like, request.options.precision);
  else if (spec.bounds || counts_given || (spec.dims && spec.spacing))
    require_memory(make_grid(spec, {{0, 0, 0}, {1, 1, 1}}, {}), request.options.precision);
}

void check_cloud(const std::vector<std::string>& inputs, const io::ColumnSelection& columns) {
  std::uint64_t rows = 0;
  for (const std::string& input : inputs)  // a pipe can be opened only once
    if (input != "-" && std::filesystem::is_regular_file(input))
      rows += io::open_points(input, columns)->expected_rows().value_or(0);
  const double needed = static_cast<double>(rows) * (columns.weight.empty() ? 24 : 32);
  const auto limit = static_cast<double>(available_memory());
  if (needed > limit)
    throw Error(
        ErrorKind::resources,
        fmt::format("{}: {} samples need {}, and {} is available; use a part of them",
                    inputs.front(), format_count(rows), format_bytes(needed), format_bytes(limit)));
}

void check_grid(const DensityRequest& request, const PointsView& points) {
  const GridSpec& spec = request.grid;
  if (request.like || spec.bounds || !(spec.dims || spec.spacing)) return;
  const Moments moments = compute_moments(points, request.options.threads);
  const Symmetric3 H = select_bandwidth(moments, request.bandwidth, request.kernel).H;
  const Vec3 support = EllipsoidKernel{request.kernel, H}.half_extents();
  require_memory(make_grid(spec, moments.bounds(), support), request.options.precision);
}

}  // namespace skde::apps
