#pragma once

#include <array>
#include <string_view>

#include "cli/options/option_table.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Parses AZIMUTH,ELEVATION,ZOOM. Throws Error(usage).
void parse_camera(const std::string& given, Camera& camera);

/// Adds the flags of the method: --sample, --slice, --full-slices, --apart, --method-camera
/// and --play.
void add_method_flags(cli::OptionTable& table, ViewState& state);

/// The names of these flags, which have no effect on a volume.
inline constexpr std::array<std::string_view, 6> kMethodFlags{
    "sample", "slice", "full-slices", "apart", "method-camera", "play"};

}  // namespace skde::view
