#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/report/progress.hpp"
#include "core/report/words.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde {

/// In which order splats are written.
enum class SplatOrder : std::uint8_t {
  given,      ///< as they are read
  morton,     ///< along a Morton curve through their centres
  organised,  ///< arranged on a grid so that neighbours are alike (see arrangement.hpp)
};

/// Their names.
inline constexpr Words<SplatOrder, 3> kSplatOrders{{{"given", SplatOrder::given},
                                                    {"morton", SplatOrder::morton},
                                                    {"organised", SplatOrder::organised}}};

/// The order in which a format of splats takes the fewest bytes, but for organised, which takes
/// much longer: morton for formats that are compressed (docs/tasks/splat_files.md), else given.
SplatOrder usual_splat_order(std::string_view format);

/// Returns the rows (from 0) in this order. Organised by what images of splats hold: centres,
/// colours, opacities, scales and rotations. Throws Error(input) that names the first row with a
/// value that is not finite, and Error(cancelled).
std::vector<std::uint32_t> splat_order(const io::SplatCloud& splats, SplatOrder order,
                                       Progress& progress);

/// Returns these rows.
io::SplatCloud splat_rows(const io::SplatCloud& splats, const std::vector<std::uint32_t>& rows);

}  // namespace skde
