#pragma once

#include <string>

namespace skde::view {

class ViewScene;
struct PixelRegion;
struct ViewState;

/// Returns the address of the page for browsers that shows the same view as a part of a picture, of
/// the cloud that the service has by the name of the file. `scale` is that of the display. Throws
/// Error(usage) if there is no density of one file of samples.
std::string page_address(const ViewScene& scene, const ViewState& state, const PixelRegion& part,
                         float scale);

}  // namespace skde::view
