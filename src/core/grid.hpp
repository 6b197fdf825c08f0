#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/report/words.hpp"
#include "core/space.hpp"

namespace skde {

/// float or double, for the accumulation and the volume alike.
enum class Precision {
  f32,  ///< float, 4 bytes a value
  f64,  ///< double, 8 bytes a value
};

/// Their words.
inline constexpr Words<Precision, 2> kPrecisions{
    {{"f32", Precision::f32}, {"f64", Precision::f64}}};
/// The same with the words of programming languages, which are read alike.
inline constexpr Words<Precision, 4> kPrecisionWords{{{"f32", Precision::f32},
                                                      {"f64", Precision::f64},
                                                      {"float", Precision::f32},
                                                      {"double", Precision::f64}}};

/// The precision of a floating-point type: f32 of float, f64 of double.
template <class Real>
inline constexpr Precision precision_of() {
  return sizeof(Real) == sizeof(float) ? Precision::f32 : Precision::f64;
}

/// The bytes of a value.
inline constexpr std::int64_t value_bytes(Precision precision) {
  return precision == Precision::f32 ? 4 : 8;
}

/// The evaluation grid: an axis-aligned box cut into nx * ny * nz cells; the density is evaluated
/// at the cell centres.
struct Grid {
  Vec3 lower;                          ///< lower corner of the first cell, in world units
  Vec3 spacing{1, 1, 1};               ///< edge lengths of a cell, in world units
  std::array<std::int64_t, 3> dims{};  ///< cells along x, y, z; each at least 1

  /// How many cells, and so values, it has.
  std::int64_t cells() const { return dims[0] * dims[1] * dims[2]; }
  /// The bytes of all values.
  std::int64_t bytes(Precision precision) const { return cells() * value_bytes(precision); }
  /// In (world unit)^3.
  double cell_volume() const { return spacing.x * spacing.y * spacing.z; }
  /// The box of all cells, in world units.
  Box bounds() const;
  /// The centre of cell (0, 0, 0), in world units.
  Vec3 first_centre() const { return lower + 0.5 * spacing; }
  /// The centre of cell (i, j, k), in world units.
  Vec3 centre(std::int64_t i, std::int64_t j, std::int64_t k) const;
  /// Cell coordinates, in which the centre of cell (i, j, k) is at (i, j, k).
  Vec3 to_cells(Vec3 world) const;
  /// The cell that holds a point; none outside of the bounds. Its lower faces belong to a cell, and
  /// the upper faces of the box to the last ones.
  std::optional<std::array<std::int64_t, 3>> cell_at(Vec3 world) const;

  /// True where all members are equal.
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// Slices [z, z + slices) of a grid.
Grid slab_of(const Grid& grid, std::int64_t z, std::int64_t slices);

/// Consecutive z-slices of a grid, [first, first + count).
struct SliceRange {
  std::int64_t first = 0;  ///< from 0
  std::int64_t count = 0;  ///< of slices

  /// The slice behind the last one.
  std::int64_t end() const { return first + count; }
  /// True where all members are equal.
  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};

/// Cells along the side that takes the most, unless others are asked for.
inline constexpr std::int64_t kDefaultCells = 128;

/// Where a kernel reaches more than so many times farther along one axis than along another, as
/// with unlike units, default cells are no cubes.
inline constexpr double kUnlikeReaches = 4;
/// How many times farther a kernel of these half extents reaches along one axis than along another;
/// 0 where it is not known.
double reach_ratio(Vec3 support);

/// What the user asked of the grid. Unset values take the defaults of make_grid.
struct GridSpec {
  std::optional<Box> bounds{};                        ///< outer faces, in world units
  bool whole_cloud = false;                           ///< default bounds hold outliers, too
  std::optional<std::array<std::int64_t, 3>> dims{};  ///< {n, 0, 0}: n cells along the longest side
  std::optional<Vec3> spacing{};                      ///< edges of a cell, in world units

  /// True where all members are equal.
  friend bool operator==(const GridSpec&, const GridSpec&) = default;
};

/// True where the edges of cells follow from the kernel, and are not given.
bool chooses_cells(const GridSpec& spec);

/// Parses "x0,y0,z0:x1,y1,z1"; Error(usage) where it is not two corners, the first below the
/// second.
Box parse_bounds(std::string_view text);
/// Parses "N" or "NX,NY,NZ"; Error(usage) where a number is not between 1 and 2^31 - 1.
std::array<std::int64_t, 3> parse_dims(std::string_view text);
/// Parses "S" or "SX,SY,SZ"; Error(usage) where a number is not finite and above 0.
Vec3 parse_spacing(std::string_view text);

/// Throws Error(usage) where dims and spacing contradict each other.
void require_consistent(const GridSpec& spec);

/// The grid for a cloud that fills the box `cloud` under a kernel with the half extents `support`
/// (world units).
/// Bounds default to the cloud plus the kernel's support, and are kept exactly where they are
/// given: cells shrink then until they fill them. Cells default to cubes, 128 along the longest
/// side. Where the kernel's reaches are more than kUnlikeReaches times apart, each axis has cells
/// of its own, however many are asked for: a kernel reaches over as many along each, and 128 are
/// the most; unless the kernel's shortest reach would have fewer of them than of cubes. Throws what
/// require_consistent throws, and Error(resources) where a side has too many cells.
Grid make_grid(const GridSpec& spec, const Box& cloud, Vec3 support);

/// Throws Error(resources) where a side has no cell or more than 2^31 - 1, or where the bytes of a
/// volume of doubles overflow 64 bits.
void require_countable(const Grid& grid);

/// How kernels that reach beyond the two faces of the box along an axis are treated.
enum class Boundary : std::uint8_t {
  none,         ///< they reach out of the box
  reflect,      ///< mirrored back in
  periodic,     ///< the box repeats itself, and they come in at the other face
  renormalize,  ///< each is divided by its mass between the faces
};

/// Their words.
inline constexpr Words<Boundary, 4> kBoundaries{{{"none", Boundary::none},
                                                 {"reflect", Boundary::reflect},
                                                 {"periodic", Boundary::periodic},
                                                 {"renormalize", Boundary::renormalize}}};

/// Along x, y and z.
using Boundaries = std::array<Boundary, 3>;

/// True where something becomes of kernels along an axis.
bool has_boundary(const Boundaries& boundaries);
/// True where kernels are divided by their mass between faces.
bool divides(const Boundaries& boundaries);

/// True where samples beyond the faces have no place in the box: it ends there.
inline bool ends_at_faces(Boundary boundary) {
  return boundary == Boundary::reflect || boundary == Boundary::renormalize;
}

/// True between two faces; where sums round a face, a sample on it is not lost.
inline bool is_between(double place, double lower, double upper) {
  constexpr double kRounding = 0x1p-50;
  const double slack = kRounding * std::max(std::abs(lower), std::abs(upper));
  return place >= lower - slack && place <= upper + slack;
}

/// Parses a word for all axes or three with commas between them. Error(usage) where it is neither.
Boundaries parse_boundaries(std::string_view text);
/// "periodic,none,reflect", or a word where all axes are alike.
std::string boundaries_text(const Boundaries& boundaries);

/// "1.50 GiB".
std::string format_bytes(double bytes);

}  // namespace skde
