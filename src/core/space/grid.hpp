#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/report/words.hpp"
#include "core/space/space.hpp"

namespace skde {

/// The floating-point type of both the accumulation and the volume.
enum class Precision {
  f32,  ///< float, 4 bytes a value
  f64,  ///< double, 8 bytes a value
};

/// The words of the precisions.
inline constexpr Words<Precision, 2> kPrecisions{
    {{"f32", Precision::f32}, {"f64", Precision::f64}}};
/// All words that are read as precisions, including those of programming languages.
inline constexpr Words<Precision, 4> kPrecisionWords{{{"f32", Precision::f32},
                                                      {"f64", Precision::f64},
                                                      {"float", Precision::f32},
                                                      {"double", Precision::f64}}};

/// The precision of a floating-point type: f32 for float, f64 for double.
template <class Real>
inline constexpr Precision precision_of() {
  return sizeof(Real) == sizeof(float) ? Precision::f32 : Precision::f64;
}

/// Returns the bytes of one value.
inline constexpr std::int64_t value_bytes(Precision precision) {
  return precision == Precision::f32 ? 4 : 8;
}

/// A cell has the density at its centre, or the mean of the density over it.
enum class CellValue { centre, mean };

/// The words of the values.
inline constexpr Words<CellValue, 2> kCellValues{
    {{"centre", CellValue::centre}, {"mean", CellValue::mean}}};

/// The evaluation grid: an axis-aligned box cut into nx * ny * nz cells. The density is evaluated
/// at the cell centres, unless means over cells are asked for.
struct Grid {
  Vec3 lower;                          ///< lower corner of the first cell, in world units
  Vec3 spacing{1, 1, 1};               ///< edge lengths of a cell, in world units
  std::array<std::int64_t, 3> dims{};  ///< cells along x, y, z; each at least 1

  /// Number of cells, and so of values.
  std::int64_t cells() const { return dims[0] * dims[1] * dims[2]; }
  /// The bytes of all values.
  std::int64_t bytes(Precision precision) const { return cells() * value_bytes(precision); }
  /// Volume of a cell in (world unit)^3.
  double cell_volume() const { return spacing.x * spacing.y * spacing.z; }
  /// The box that all cells fill, in world units.
  Box bounds() const;
  /// The centre of cell (0, 0, 0), in world units.
  Vec3 first_centre() const { return lower + 0.5 * spacing; }
  /// The centre of cell (i, j, k), in world units.
  Vec3 centre(std::int64_t i, std::int64_t j, std::int64_t k) const;
  /// Converts a point to cell coordinates, in which the centre of cell (i, j, k) is at (i, j, k).
  Vec3 to_cells(Vec3 world) const;
  /// Returns the cell that holds a point, or none if the point is out of bounds. A cell owns its
  /// lower faces; the upper faces of the box belong to the last cells.
  std::optional<std::array<std::int64_t, 3>> cell_at(Vec3 world) const;

  /// True if all members are equal.
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// Returns slices [z, z + slices) of a grid.
Grid slab_of(const Grid& grid, std::int64_t z, std::int64_t slices);

/// Consecutive z-slices of a grid, [first, first + count).
struct SliceRange {
  std::int64_t first = 0;  ///< from 0
  std::int64_t count = 0;  ///< number of slices

  /// The slice after the last one.
  std::int64_t end() const { return first + count; }
  /// True if all members are equal.
  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};

/// Default number of cells along the side that takes the most.
inline constexpr std::int64_t kDefaultCells = 128;

/// If the largest reach of a kernel exceeds the smallest by more than this factor, as with unlike
/// units, default cells are not cubes.
inline constexpr double kUnlikeReaches = 4;
/// Returns the ratio of the largest to the smallest of these half extents of a kernel; 0 if it is
/// unknown.
double reach_ratio(Vec3 support);

/// The grid that the user asked for. Unset values take the defaults of make_grid.
struct GridSpec {
  std::optional<Box> bounds{};                        ///< outer faces, in world units
  bool whole_cloud = false;                           ///< default bounds include outliers
  std::optional<std::array<std::int64_t, 3>> dims{};  ///< {n, 0, 0}: n cells along the longest side
  std::optional<Vec3> spacing{};                      ///< edges of a cell, in world units

  /// True if all members are equal.
  friend bool operator==(const GridSpec&, const GridSpec&) = default;
};

/// True if the cell size follows from the kernel instead of being given.
bool chooses_cells(const GridSpec& spec);

/// Parses "x0,y0,z0:x1,y1,z1". Throws Error(usage) unless the text is two corners, the first below
/// the second.
Box parse_bounds(std::string_view text);
/// Parses "N" or "NX,NY,NZ". Throws Error(usage) if a number is not between 1 and 2^31 - 1.
std::array<std::int64_t, 3> parse_dims(std::string_view text);
/// Parses "S" or "SX,SY,SZ". Throws Error(usage) if a number is not finite and above 0.
Vec3 parse_spacing(std::string_view text);

/// Throws Error(usage) if dims and spacing contradict each other.
void require_consistent(const GridSpec& spec);

/// Returns the grid for a cloud with the bounding box `cloud` under a kernel with the half extents
/// `support` (world units). Bounds default to the cloud plus the kernel's support. Given bounds are
/// kept exactly: cells shrink until they fill them. Cells default to cubes, 128 along the longest
/// side. If the kernel's reaches are more than kUnlikeReaches times apart, each axis gets its own
/// cell size, for any number of cells: the kernel then reaches over the same number of cells along
/// each axis, and 128 (or the number asked for) is the most. Cubes stay if they put more cells in
/// the kernel's shortest reach. Throws what require_consistent throws, and Error(resources) if a
/// side has too many cells.
Grid make_grid(const GridSpec& spec, const Box& cloud, Vec3 support);

/// Throws Error(resources) if a side has no cell or more than 2^31 - 1, or if the bytes of a volume
/// of doubles overflow 64 bits.
void require_countable(const Grid& grid);

/// The treatment of kernels that reach beyond the two faces of the box along an axis.
enum class Boundary : std::uint8_t {
  none,         ///< they reach out of the box
  reflect,      ///< mirrored back in
  periodic,     ///< the box repeats, and they come in at the opposite face
  renormalize,  ///< divided by their mass between the faces
  linear,       ///< mirrored back in, and values corrected for the slope of the density there
};

/// The words of the boundaries.
inline constexpr Words<Boundary, 5> kBoundaries{{{"none", Boundary::none},
                                                 {"reflect", Boundary::reflect},
                                                 {"periodic", Boundary::periodic},
                                                 {"renormalize", Boundary::renormalize},
                                                 {"linear", Boundary::linear}}};

/// Along x, y and z.
using Boundaries = std::array<Boundary, 3>;

/// True if any axis has a boundary other than `none`.
bool has_boundary(const Boundaries& boundaries);
/// True if kernels are divided by their mass between faces along any axis.
bool divides(const Boundaries& boundaries);
/// True if values are corrected for the slope at faces along any axis.
bool is_linear(const Boundaries& boundaries);

/// True if kernels are mirrored at the faces.
inline bool mirrors(Boundary boundary) {
  return boundary == Boundary::reflect || boundary == Boundary::linear;
}

/// True if the box ends at its faces, so that samples beyond them have no place in it.
inline bool ends_at_faces(Boundary boundary) {
  return mirrors(boundary) || boundary == Boundary::renormalize;
}

/// True if `place` is between two faces, with slack for rounding, so that samples on a face count.
inline bool is_between(double place, double lower, double upper) {
  constexpr double kRounding = 0x1p-50;
  const double slack = kRounding * std::max(std::abs(lower), std::abs(upper));
  return place >= lower - slack && place <= upper + slack;
}

/// Parses one word for all axes, or three separated by commas. Throws Error(usage) if the text is
/// neither.
Boundaries parse_boundaries(std::string_view text);
/// Returns "periodic,none,reflect", or a single word if all axes are alike.
std::string boundaries_text(const Boundaries& boundaries);

/// Returns text such as "1.50 GiB".
std::string format_bytes(double bytes);

/// Returns where a place belongs between two faces with this boundary: mirrored back at faces that
/// reflect, moved by whole lengths at periodic ones, and unchanged at others.
inline double settled_place(Boundary boundary, double place, double lower, double upper) {
  const double length = upper - lower;
  if (boundary == Boundary::reflect) {
    const double along = std::fmod(std::abs(place - lower), 2 * length);
    return std::clamp(lower + (along > length ? 2 * length - along : along), lower, upper);
  }
  if (boundary != Boundary::periodic) return place;
  const double along = std::fmod(place - lower, length);
  return std::clamp(lower + (along < 0 ? along + length : along), lower, upper);
}

/// Returns whether a place lies beyond a face at which the box ends.
inline bool is_beyond_faces(const Boundaries& boundaries, const Box& box, Vec3 place) {
  for (int axis = 0; axis < 3; ++axis)
    if (ends_at_faces(boundaries[static_cast<std::size_t>(axis)]) &&
        !is_between(place[axis], box.lower[axis], box.upper[axis]))
      return true;
  return false;
}

}  // namespace skde
