#include "cli/memory_checks.hpp"
#include "core/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace skde::cli {
namespace {

constexpr double kSampleBytes = 32 + 40;  // in the cloud, and what an engine makes of it

void require_memory(const Grid& grid, const DensityOptions& options) {
  require_grid_fits(grid, options.request.options.precision, memory_limit(options));
}

/// The grid, where the flags alone decide its size.
std::optional<Grid> known_grid(const DensityRequest& request) {
  const GridSpec& spec = request.grid;
  if (request.like) return request.like;
  const bool counts_given = spec.dims && (*spec.dims)[1] > 0;
  if (spec.bounds || counts_given || (spec.dims && spec.spacing))
    return make_grid(spec, {{0, 0, 0}, {1, 1, 1}}, {});
  return std::nullopt;
}

/// Bytes that the samples of a file take in memory while an engine works on them, at the most.
double cloud_bytes(const std::string& path, const io::ColumnSelection& columns) {
  constexpr double kBytesOfText = 12;  // of a row, at the least that anyone writes
  if (path == "-" || !std::filesystem::is_regular_file(path)) return 0;
  const auto rows = io::open_points(path, columns)->expected_rows();
  return (rows ? static_cast<double>(*rows)
               : static_cast<double>(std::filesystem::file_size(path)) / kBytesOfText) *
         kSampleBytes;
}

}  // namespace

std::int64_t memory_limit(const DensityOptions& options) {
  return options.memory_limit > 0 ? options.memory_limit : available_memory();
}

void check_known_grid(const DensityOptions& options) {
  if (const std::optional<Grid> grid = known_grid(options.request)) require_memory(*grid, options);
}

bool grid_fits_beside(const DensityOptions& options, const PointsView& points) {
  const DensityRequest& request = options.request;
  const GridSpec& spec = request.grid;
  if (request.like || spec.bounds || !(spec.dims || spec.spacing)) return true;
  const Moments moments = compute_moments(points, request.options.threads);
  const Symmetric3 H = select_bandwidth(moments, request.bandwidth, request.kernel).H;
  const Vec3 support = EllipsoidKernel{request.kernel, H}.half_extents();
  const Grid grid = make_grid(spec, moments.bounds(), support);
  require_memory(grid, options);
  const double needed = static_cast<double>(points.size()) * kSampleBytes +
                        static_cast<double>(grid.bytes(request.options.precision));
  return options.memory_limit == 0 || needed <= static_cast<double>(options.memory_limit);
}

bool must_stream(const DensityOptions& options, const std::vector<std::string>& inputs) {
  const bool piped = std::ranges::count(inputs, "-") > 0;
  // How much comes through a pipe nobody knows; who sets a limit wants it kept.
  if (piped) return options.memory_limit > 0 && takes_one_pass(options.request);
  constexpr double kProgramBytes = 64 << 20;
  double needed = kProgramBytes;
  for (const std::string& input : inputs) needed += cloud_bytes(input, options.input.columns);
  const std::optional<Grid> grid = known_grid(options.request);
  if (grid) needed += static_cast<double>(grid->bytes(options.request.options.precision));
  return needed > static_cast<double>(memory_limit(options));
}

}  // namespace skde::cli
