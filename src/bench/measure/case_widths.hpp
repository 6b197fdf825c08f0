#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/cloud/samples.hpp"
#include "core/space/space.hpp"

namespace skde::bench {

/// Kernels that samples may have of their own. `factors` scale the common lengths by a quarter to
/// 2. `splats`, like Gaussian splats, are rotated at random; each of their three lengths is an
/// eighth to the whole of the common length.
enum class CaseWidths : std::uint8_t { none, factors, splats };

inline constexpr std::array<std::pair<std::string_view, CaseWidths>, 3> kCaseWidths{
    {{"none", CaseWidths::none}, {"factors", CaseWidths::factors}, {"splats", CaseWidths::splats}}};
constexpr std::string_view widths_name(CaseWidths widths) {
  return kCaseWidths[static_cast<std::size_t>(widths)].first;
}
/// Returns the bytes that a sample's own kernel takes.
constexpr double width_bytes(CaseWidths widths) {
  return widths == CaseWidths::splats ? 48 : widths == CaseWidths::factors ? 8 : 0;
}

/// Gives kernels of their own to the samples [first, first + size) of a seed's cloud. `H` is the
/// common one.
void add_case_widths(Samples& cloud, CaseWidths widths, std::uint64_t seed, std::uint64_t first,
                     const Symmetric3& H);

}  // namespace skde::bench
