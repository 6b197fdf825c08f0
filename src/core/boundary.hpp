#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/report/words.hpp"

namespace skde {

/// What becomes of kernels that reach beyond the two faces of the box along an axis.
enum class Boundary : std::uint8_t {
  none,        ///< they reach out of the box
  reflect,     ///< mirrored back in
  periodic,    ///< the box repeats itself, and they come in at the other face
  renormalize  ///< each is divided by its mass between the faces
};

inline constexpr Words<Boundary, 4> kBoundaries{{{"none", Boundary::none},
                                                 {"reflect", Boundary::reflect},
                                                 {"periodic", Boundary::periodic},
                                                 {"renormalize", Boundary::renormalize}}};

/// Along x, y and z.
using Boundaries = std::array<Boundary, 3>;

inline bool has_boundary(const Boundaries& boundaries) {
  return std::ranges::any_of(boundaries, [](Boundary b) { return b != Boundary::none; });
}

/// True where kernels are divided by their mass between faces.
inline bool divides(const Boundaries& boundaries) {
  return std::ranges::find(boundaries, Boundary::renormalize) != boundaries.end();
}

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

}  // namespace skde
