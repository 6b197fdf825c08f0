#include "estimate/values/density_setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "core/report/error.hpp"
#include "engines/registry/registry.hpp"

namespace skde {
namespace {

/// Returns whether some kernel may reach a cell centre: whether the grid meets the cloud's box,
/// widened by the kernel as far as the boundaries allow.
bool may_overlap(const Box& cloud, Vec3 support, const Box& grid, const Boundaries& boundaries) {
  for (int axis = 0; axis < 3; ++axis) {
    const Boundary boundary = boundaries[static_cast<std::size_t>(axis)];
    if (boundary == Boundary::periodic) continue;
    const bool ends = ends_at_faces(boundary);  // samples on a face belong to the box
    if (ends ? cloud.upper[axis] < grid.lower[axis] || cloud.lower[axis] > grid.upper[axis]
             : cloud.upper[axis] + support[axis] <= grid.lower[axis] ||
                   cloud.lower[axis] - support[axis] >= grid.upper[axis])
      return false;
  }
  return true;
}

std::optional<double> rule_bandwidth(const Moments& moments, BandwidthSpec spec,
                                     KernelFunction kernel, BandwidthRule rule) {
  spec.bandwidth = rule;
  try {
    return select_bandwidth(moments, spec, kernel).h;
  } catch (const Error&) {
    return std::nullopt;  // no such bandwidth; the caller shows this
  }
}

/// Throws Error(usage) if the cut of an unbounded kernel is so far out that the engines'
/// exponentials cannot be distinguished from 0 there.
Kernel kernel_of(const DensityRequest& request, const Symmetric3& H) {
  constexpr double kLeast = 1e-30;
  if (!request.kernel->is_bounded() && request.tolerance > 0 && request.tolerance < kLeast)
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "a tolerance of {:g} of the peak is below the rounding error of exponentials, {:g}",
            request.tolerance, kLeast),
        {"tolerance", fmt::format("use `tolerance={:g}` or more", kLeast)});
  return {request.kernel, H, request.tolerance};
}

/// Returns a kernel that reaches as far as those of samples with these extents (see ShapeSummary).
Kernel resized(Kernel kernel, Vec3 extents, const ShapeSummary& shapes) {
  kernel.H = shapes.has_shapes()
                 ? Symmetric3::diagonal(extents.x * extents.x, extents.y * extents.y,
                                        extents.z * extents.z)
                 : (extents.x * extents.x) * kernel.H;
  return kernel;
}

double ratio_behind_cells(const DensityRequest& request, Vec3 support) {
  return request.like || !chooses_cells(request.grid) ? 0 : reach_ratio(support);
}

/// Returns the grid around a cloud. Where the box ends at its faces, these are the cloud's bounds.
Grid grid_about(const DensityRequest& request, Box held, const Box& cloud, Vec3 support) {
  GridSpec spec = request.grid;
  if (request.gives_box() || !has_boundary(request.boundaries))
    return make_grid(spec, held, support);
  for (int axis = 0; axis < 3; ++axis) {
    if (!ends_at_faces(request.boundaries[static_cast<std::size_t>(axis)])) {
      held.lower[axis] -= support[axis];
      held.upper[axis] += support[axis];
      continue;
    }
    held.lower[axis] = cloud.lower[axis];
    held.upper[axis] = cloud.upper[axis];
    if (held.lower[axis] < held.upper[axis]) continue;
    throw Error(
        ErrorKind::input,
        fmt::format(
            "all samples have the same {}, so a box with boundaries at the samples is empty",
            kAxisNames[static_cast<std::size_t>(axis)]),
        {"boundary", "give `bounds`, or `boundary=none` along that axis"});
  }
  spec.bounds = held;
  return make_grid(spec, held, support);
}

/// Completes the set-up of a histogram: kernels so much thinner than the cells that each lies in
/// one.
void make_points_of(DensitySetup& setup) {
  constexpr double kThin = 1e-9;  // of a cell
  const Vec3 width = kThin * setup.grid.spacing;
  setup.kernel.H = Symmetric3::diagonal(width.x * width.x, width.y * width.y, width.z * width.z);
  setup.reach = setup.kernel.half_extents();
  for (int axis = 0; axis < 3; ++axis)
    if (!std::isnormal(width[axis] * width[axis]))
      throw Error(ErrorKind::input,
                  fmt::format("all samples have the same {}, so cells about them are empty",
                              kAxisNames[static_cast<std::size_t>(axis)]),
                  {"bounds", "give `bounds`"});
}

/// Returns the bandwidth that does not come from the samples' own shapes or scores.
Bandwidth bandwidth_for(const DensityRequest& request, const Moments& moments) {
  if (request.is_histogram()) return {{}, 0, "given", false};
  return select_bandwidth(moments, request.bandwidth, request.kernel);
}

/// Returns the margin of a default box for a kernel that does not depend on the samples.
Vec3 fixed_support(const DensityRequest& request) {
  const auto& bandwidth = request.bandwidth.bandwidth;
  const auto* const lengths = std::get_if<Vec3>(&bandwidth);
  const Symmetric3 H = lengths
                           ? Symmetric3::diagonal(lengths->x * lengths->x, lengths->y * lengths->y,
                                                  lengths->z * lengths->z)
                           : std::get<Symmetric3>(bandwidth);
  return kernel_of(request, H).shown_half_extents();
}

}  // namespace

std::optional<int> DensityRequest::gpu() const {
  const bool on_cpu =
      is_automatic() ? device == Device::cpu : engine_entry(engine).traits.device == Device::cpu;
  return on_cpu ? std::nullopt : std::optional(options.device);
}

GridAhead grid_ahead(const DensityRequest& request) {
  const GridSpec& spec = request.grid;
  GridAhead ahead;
  if (request.like) {
    ahead.grid = request.like;
    ahead.dims = ahead.grid->dims;
    return ahead;
  }
  require_consistent(spec);
  if (!request.gives_box() &&
      std::ranges::find(request.boundaries, Boundary::periodic) != request.boundaries.end())
    throw Error(ErrorKind::usage, "the period is unknown without a box",
                {"boundary", "give the outer faces of the periodic box with `bounds`"});
  const bool has_cells = spec.spacing || (spec.dims && (*spec.dims)[1] > 0);
  if (spec.bounds && (has_cells || has_fixed_kernel(request))) {
    // The cloud has no influence here, and neither has the kernel if it is not known yet.
    const Vec3 support = has_fixed_kernel(request) ? fixed_support(request) : Vec3{};
    ahead.grid = make_grid(spec, {}, support);
  } else if (spec.dims && (*spec.dims)[1] > 0) {
    ahead.dims = spec.dims;
  }
  if (ahead.grid) ahead.dims = ahead.grid->dims;
  return ahead;
}

DensitySetup set_up_density(const DensityRequest& request, const Moments& moments,
                            const Box& inner_bounds, const GridAhead& ahead,
                            const ShapeSummary& shapes, const std::optional<Bandwidth>& chosen) {
  if (moments.count() == 0)
    throw Error(ErrorKind::input,
                "no samples: every row was empty, dropped, left out or of weight 0",
                {{}, "check the columns, `weights` and `where`"});
  DensitySetup setup;
  setup.bandwidth = shapes.has_shapes() ? Bandwidth{shapes.mean(), 0, "samples", false}
                    : chosen            ? *chosen
                                        : bandwidth_for(request, moments);
  setup.kernel = kernel_of(request, setup.bandwidth.H);
  const Kernel most = resized(setup.kernel, shapes.largest(), shapes),
               inner = resized(setup.kernel, shapes.inner(), shapes);
  setup.reach = most.half_extents();
  const Box& held = request.grid.whole_cloud ? moments.bounds() : inner_bounds;
  setup.grid = ahead.grid ? *ahead.grid
                          : grid_about(request, held, moments.bounds(), inner.shown_half_extents());
  setup.reach_ratio = ratio_behind_cells(request, inner.shown_half_extents());
  if (request.is_histogram() && !shapes.has_shapes()) make_points_of(setup);
  require_overlap(moments.bounds(), setup.reach, setup.grid, request.boundaries);
  return setup;
}

void require_frame_of_like(const DensityRequest& request, const std::string& frame) {
  if (request.like)
    require_one_frame(frame, "the cloud", request.like->frame, "the volume whose grid it takes");
}

void refuse_sharpening(const DensityRequest& request, std::string_view what) {
  if (request.sharpen)
    throw Error(ErrorKind::unsupported,
                fmt::format("{} cannot be those of sharpened samples", what),
                {"sharpen", "leave out `sharpen`"});
}

void refuse_means(const DensityRequest& request, std::string_view what) {
  if (request.cells == CellValue::mean)
    throw Error(ErrorKind::unsupported, fmt::format("{} cannot be means over cells", what),
                {"cells", "leave out `cells`"});
}

void require_means(const DensityRequest& request) {
  constexpr double kUsualWidth = 1;  // that nobody asked for
  if (request.cells == CellValue::mean && request.min_width > 0 && request.min_width != kUsualWidth)
    throw Error(ErrorKind::usage, "means over cells do not widen kernels",
                {"min_width", "leave out `min_width`"});
  if (is_linear(request.boundaries)) refuse_means(request, "values that are corrected at faces");
  if (request.is_histogram() && (request.has_pilot() || has_boundary(request.boundaries)))
    throw Error(ErrorKind::usage,
                "a bandwidth of 0 leaves no kernels to adapt, to sharpen or to reach over faces",
                {"bandwidth",
                 "give a `bandwidth` above 0, or leave out `adaptive`, `sharpen` and "
                 "`boundary`"});
}

void refuse_linear_faces(const DensityRequest& request, std::string_view what) {
  if (is_linear(request.boundaries))
    throw Error(
        ErrorKind::unsupported,
        fmt::format("{} cannot be corrected for the slope at faces, only a volume can", what),
        {"boundary", "use `boundary=reflect`"});
}

bool has_fixed_kernel(const DensityRequest& request) {
  return std::holds_alternative<Vec3>(request.bandwidth.bandwidth) ||
         std::holds_alternative<Symmetric3>(request.bandwidth.bandwidth);
}

DensitySetup set_up_independent(const DensityRequest& request, const Grid& grid) {
  DensitySetup setup;
  setup.bandwidth = bandwidth_for(request, {});
  setup.kernel = kernel_of(request, setup.bandwidth.H);
  setup.grid = grid;
  setup.reach = setup.kernel.half_extents();
  setup.reach_ratio = ratio_behind_cells(request, setup.kernel.shown_half_extents());
  if (request.is_histogram()) make_points_of(setup);
  return setup;
}

void require_overlap(const Box& cloud, Vec3 support, const Grid& grid,
                     const Boundaries& boundaries) {
  if (!may_overlap(cloud, support, grid.bounds(), boundaries))
    throw Error(ErrorKind::input, "all samples and their kernels are outside the box",
                {"bounds", "compare `bounds` with the bounds of the samples"});
}

bool is_inside(const Grid& grid, const Box& cloud, const Kernel& kernel,
               const Boundaries& boundaries) {
  constexpr double kRounding = 1e-12;
  const Box box = grid.bounds();
  const Vec3 half = kernel.half_extents(), slack = kRounding * box.extent();
  for (int axis = 0; axis < 3; ++axis) {
    const Boundary boundary = boundaries[static_cast<std::size_t>(axis)];
    if (boundary == Boundary::periodic) continue;
    const double reach = (boundary == Boundary::none ? half[axis] : 0) - slack[axis];
    if (cloud.lower[axis] - reach < box.lower[axis] || cloud.upper[axis] + reach > box.upper[axis])
      return false;
  }
  return true;
}

double normalization_scale(Normalization normalization, double mass, double total_weight) {
  switch (normalization) {
    case Normalization::box:
      return 1 / mass;
    case Normalization::count:
      return total_weight;
    case Normalization::density:
      break;
  }
  return 1;
}

double normalization_factor(Normalization normalization, double sum, double mass,
                            double total_weight) {
  if (!(sum > 0) || (normalization == Normalization::box && !(mass > 0)))
    throw Error(
        ErrorKind::input,
        "no kernel covers a cell centre of the grid, so the density is 0 everywhere",
        {"dims", "use smaller cells (`dims`, `spacing`), a larger `bandwidth`, or other `bounds`"});
  return normalization_scale(normalization, mass, total_weight);
}

Precision precision_in_range(Precision asked, double height, double samples, double total_weight,
                             Normalization normalization) {
  constexpr double kLeast = 0x1p-120, kMost = 0x1p120;  // leaves room for the sums
  const double factor = normalization == Normalization::count ? total_weight : 1;
  const bool fits =
      height / samples * std::min(1.0, factor) > kLeast && height * std::max(1.0, factor) < kMost;
  return fits ? asked : Precision::f64;
}

void require_in_range(double largest, Precision precision) {
  const bool is_float = precision == Precision::f32;
  using Float = std::numeric_limits<float>;
  using Double = std::numeric_limits<double>;
  const double least = is_float ? static_cast<double>(Float::min()) : Double::min();
  const double most = is_float ? static_cast<double>(Float::max()) : Double::max();
  if (largest >= least && largest <= most) return;
  throw Error(ErrorKind::input,
              fmt::format("the largest value, {:g}, is beyond the range of {}", largest,
                          is_float ? "float" : "double"),
              {is_float ? "precision" : "weights",
               is_float ? "use `precision=f64`, or scale the weights" : "scale the weights"});
}

BandwidthSuggestions suggest_bandwidths(const Moments& moments, BandwidthSpec spec,
                                        KernelFunction kernel) {
  return {rule_bandwidth(moments, spec, kernel, BandwidthRule::silverman),
          rule_bandwidth(moments, spec, kernel, BandwidthRule::scott),
          rule_bandwidth(moments, spec, kernel, BandwidthRule::normal_scale),
          rule_bandwidth(moments, spec, kernel, BandwidthRule::normal_scott)};
}

}  // namespace skde
