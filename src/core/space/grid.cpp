#include "core/space/grid.hpp"

#include <fmt/core.h>

#include <limits>
#include <vector>

#include "core/report/error.hpp"

namespace skde {
namespace {

constexpr std::int64_t kMostCells = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void usage_error(std::string parameter, std::string problem) {
  throw Error(ErrorKind::usage, std::move(problem), {std::move(parameter), {}});
}

std::int64_t cells_along(double extent, double spacing) {
  const double cells = std::ceil(extent / spacing * (1 - 1e-12));
  if (!(cells <= static_cast<double>(kMostCells)))
    throw Error(
        ErrorKind::resources,
        fmt::format("a side of {:g} at spacing {:g} needs {:.3g} cells, more than a grid can hold",
                    extent, spacing, cells),
        {"spacing", "use a larger `spacing`"});
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(cells));
}

std::array<std::int64_t, 3> cells_for(Vec3 extent, Vec3 spacing) {
  return {cells_along(extent.x, spacing.x), cells_along(extent.y, spacing.y),
          cells_along(extent.z, spacing.z)};
}

/// Returns advice for bounds that are not two corners. Six numbers may be the two corners or one
/// range per axis.
std::string two_corners(std::string_view text) {
  std::string commas(text);
  std::ranges::replace_if(
      commas, [](char c) { return c == ':' || c == ';' || c == ' ' || c == '/'; }, ',');
  const auto v = parse_number_list<double>(commas);
  if (v.size() != 6) return "give two corners of the box, as `bounds=0,0,0:1,1,1`";
  const bool corners = v[0] < v[3] && v[1] < v[4] && v[2] < v[5];
  const bool ranges = v[0] < v[1] && v[2] < v[3] && v[4] < v[5];
  const bool by_ranges = ranges && (!corners || text.find(':') != text.rfind(':'));
  return by_ranges ? fmt::format("give two corners: `bounds={},{},{}:{},{},{}`", v[0], v[2], v[4],
                                 v[1], v[3], v[5])
                   : fmt::format("put a colon between the corners: `bounds={},{},{}:{},{},{}`",
                                 v[0], v[1], v[2], v[3], v[4], v[5]);
}

/// Returns a grid of n cells that fills a box.
Grid filled(const Box& box, const std::array<std::int64_t, 3>& n) {
  const Vec3 extent = box.extent();
  return {box.lower,
          {extent.x / static_cast<double>(n[0]), extent.y / static_cast<double>(n[1]),
           extent.z / static_cast<double>(n[2])},
          n};
}

/// Returns the edges of cells; the axis that takes the most cells has `most` of them.
Vec3 default_spacing(Vec3 extent, Vec3 support, std::int64_t most) {
  const auto cells = static_cast<double>(most);
  const double edge = std::max({extent.x, extent.y, extent.z}) / cells;
  const Vec3 cubes{edge, edge, edge};
  if (reach_ratio(support) <= kUnlikeReaches) return cubes;
  double reaches = 0;  // largest length of a side in reaches of the kernel
  for (int axis = 0; axis < 3; ++axis) reaches = std::max(reaches, extent[axis] / support[axis]);
  // If the shortest reach lies along the longest side, per-axis cells would only be fewer.
  constexpr double kGain = 1.05;
  const double in_cubes = std::min({support.x, support.y, support.z}) / edge;
  const double alike = cells / reaches;
  return alike < kGain * in_cubes ? cubes : (1 / alike) * support;
}

Boundary boundary_named(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(kBoundaries.size());
  for (const auto& [word, meaning] : kBoundaries) {
    if (word == name) return meaning;
    names.push_back(word);
  }
  const std::string_view nearest = nearest_name(name, names);
  throw Error(
      ErrorKind::usage,
      fmt::format("boundary must be none, reflect, periodic, renormalize or linear; got '{}'",
                  name),
      {"boundary", nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest)});
}

}  // namespace

double reach_ratio(Vec3 support) {
  const auto [least, most] = std::minmax({support.x, support.y, support.z});
  return least > 0 ? most / least : 0;
}

bool chooses_cells(const GridSpec& spec) {
  return !spec.spacing && !(spec.dims && (*spec.dims)[1] > 0);
}

Box Grid::bounds() const {
  const Vec3 size{spacing.x * static_cast<double>(dims[0]),
                  spacing.y * static_cast<double>(dims[1]),
                  spacing.z * static_cast<double>(dims[2])};
  return {lower, lower + size};
}

Vec3 Grid::centre(std::int64_t i, std::int64_t j, std::int64_t k) const {
  return {lower.x + (static_cast<double>(i) + 0.5) * spacing.x,
          lower.y + (static_cast<double>(j) + 0.5) * spacing.y,
          lower.z + (static_cast<double>(k) + 0.5) * spacing.z};
}

Vec3 Grid::to_cells(Vec3 world) const {
  return {(world.x - lower.x) / spacing.x - 0.5, (world.y - lower.y) / spacing.y - 0.5,
          (world.z - lower.z) / spacing.z - 0.5};
}

std::optional<std::array<std::int64_t, 3>> Grid::cell_at(Vec3 world) const {
  std::array<std::int64_t, 3> cell{};
  const Box box = bounds();
  for (int axis = 0; axis < 3; ++axis) {
    if (!(world[axis] >= box.lower[axis] && world[axis] <= box.upper[axis])) return std::nullopt;
    const double cells = std::floor((world[axis] - lower[axis]) / spacing[axis]);
    cell[axis] = std::min(static_cast<std::int64_t>(cells), dims[axis] - 1);
  }
  return cell;
}

Grid slab_of(const Grid& grid, std::int64_t z, std::int64_t slices) {
  Grid slab = grid;
  slab.lower.z += static_cast<double>(z) * grid.spacing.z;
  slab.dims[2] = slices;
  return slab;
}

Box parse_bounds(std::string_view text) {
  const auto colon = text.find(':');
  std::vector<double> lower, upper;
  if (colon != std::string_view::npos) {
    lower = parse_number_list<double>(text.substr(0, colon));
    upper = parse_number_list<double>(text.substr(colon + 1));
  }
  if (lower.size() != 3 || upper.size() != 3)
    throw Error(ErrorKind::usage, fmt::format("must be x0,y0,z0:x1,y1,z1; got '{}'", text),
                {"bounds", two_corners(text)});
  for (int axis = 0; axis < 3; ++axis)
    if (!(lower[axis] < upper[axis]) || !std::isfinite(upper[axis] - lower[axis]))
      usage_error("bounds", fmt::format("'{}': {}0 must be finite and below {}1", text,
                                        kAxisNames[axis], kAxisNames[axis]));
  return {{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}

std::array<std::int64_t, 3> parse_dims(std::string_view text) {
  const auto v = parse_number_list<std::int64_t>(text);
  if (v.size() != 1 && v.size() != 3)
    usage_error("dims", fmt::format("must be N or NX,NY,NZ; got '{}'", text));
  for (std::int64_t n : v)
    if (n < 1 || n > kMostCells)
      usage_error("dims", fmt::format("must be integers from 1 to {2}; got {1} in '{0}'", text, n,
                                      kMostCells));
  if (v.size() == 1) return {v[0], 0, 0};
  return {v[0], v[1], v[2]};
}

Vec3 parse_spacing(std::string_view text) {
  const auto v = parse_number_list<double>(text);
  if (v.size() != 1 && v.size() != 3)
    usage_error("spacing", fmt::format("must be S or SX,SY,SZ; got '{}'", text));
  for (double s : v)
    if (!(s > 0) || !std::isfinite(s))
      usage_error("spacing", fmt::format("must be finite and above 0; got '{}'", text));
  if (v.size() == 1) return {v[0], v[0], v[0]};
  return {v[0], v[1], v[2]};
}

void require_consistent(const GridSpec& spec) {
  const bool counts_given = spec.dims && (*spec.dims)[1] > 0;
  if (spec.dims && spec.spacing && (spec.bounds || !counts_given))
    throw Error(ErrorKind::usage,
                "the numbers of cells and their size already fix the size of the box",
                {"spacing",
                 "leave out `dims` or `spacing`, or give `dims=NX,NY,NZ` with `spacing` and no "
                 "`bounds`"});
}

Grid make_grid(const GridSpec& spec, const Box& cloud, Vec3 support) {
  require_consistent(spec);
  const bool counts_given = spec.dims && (*spec.dims)[1] > 0;
  const Box box = spec.bounds ? *spec.bounds : Box{cloud.lower - support, cloud.upper + support};
  const Vec3 extent = box.extent();
  if (counts_given && !spec.spacing) return filled(box, *spec.dims);
  if (counts_given) {  // a box of that size centred on the cloud
    Grid grid{{}, *spec.spacing, *spec.dims};
    grid.lower = box.centre() - 0.5 * grid.bounds().extent();
    return grid;
  }
  const std::int64_t most = spec.dims ? (*spec.dims)[0] : kDefaultCells;
  const Vec3 spacing = spec.spacing ? *spec.spacing : default_spacing(extent, support, most);
  const std::array<std::int64_t, 3> cells = cells_for(extent, spacing);
  if (spec.bounds) return filled(box, cells);
  // Cells of this size rarely fill the box exactly: the slack is split evenly between both sides.
  Grid grid{box.lower, spacing, cells};
  grid.lower = box.centre() - 0.5 * grid.bounds().extent();
  return grid;
}

void require_countable(const Grid& grid) {
  for (std::int64_t n : grid.dims)
    if (n < 1 || n > kMostCells)
      throw Error(ErrorKind::resources,
                  fmt::format("the number of cells along an axis must be from 1 to {1}; got {0}", n,
                              kMostCells),
                  {"dims", {}});
  const double bytes = 8 * static_cast<double>(grid.dims[0]) * static_cast<double>(grid.dims[1]) *
                       static_cast<double>(grid.dims[2]);
  if (bytes >= 0x1p63)
    throw Error(ErrorKind::resources,
                fmt::format("a grid of {} x {} x {} cells is larger than memory can address",
                            grid.dims[0], grid.dims[1], grid.dims[2]),
                {"dims", "use smaller `dims` or a larger `spacing`"});
}

std::string format_bytes(double bytes) {
  static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} {}", bytes, kUnits[unit]);
}

bool has_boundary(const Boundaries& boundaries) {
  return std::ranges::any_of(boundaries, [](Boundary b) { return b != Boundary::none; });
}

bool divides(const Boundaries& boundaries) {
  return std::ranges::find(boundaries, Boundary::renormalize) != boundaries.end();
}

bool is_linear(const Boundaries& boundaries) {
  return std::ranges::find(boundaries, Boundary::linear) != boundaries.end();
}

Boundaries parse_boundaries(std::string_view text) {
  const std::vector<std::string> words = parse_names(std::string(text));
  if (words.size() != 1 && words.size() != 3)
    throw Error(ErrorKind::usage, fmt::format("must be one word, or three X,Y,Z; got '{}'", text),
                {"boundary",
                 "give one word for all axes or one for each, such as "
                 "`boundary=periodic,none,reflect`"});
  Boundaries boundaries{};
  for (std::size_t axis = 0; axis < boundaries.size(); ++axis)
    boundaries[axis] = boundary_named(words[words.size() == 1 ? 0 : axis]);
  return boundaries;
}

std::string boundaries_text(const Boundaries& boundaries) {
  const auto& [x, y, z] = boundaries;
  if (x == y && y == z) return std::string(word_of(kBoundaries, x));
  return fmt::format("{},{},{}", word_of(kBoundaries, x), word_of(kBoundaries, y),
                     word_of(kBoundaries, z));
}

}  // namespace skde
