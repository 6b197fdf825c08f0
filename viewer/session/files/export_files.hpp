#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/space/space.hpp"
#include "core/space/volume.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde {

struct SampleCloud;

}  // namespace skde

namespace skde::view {

class ViewScene;

/// A density to write, as it is shown.
struct ShownDensity {
  Volume volume;
  DensityMetadata metadata;
};

// Each writes whole files or nothing, in the format of the path's extension, and returns what it
// has written, in half a sentence. They throw Error(usage) for another extension, and
// Error(output).

std::string export_volume(const std::string& path, const ShownDensity& density);
/// Writes the surfaces at these levels as meshes. Several get the numbers 1, 2, ... before the
/// extension. Throws Error(input) as well if a level is not within the values.
std::string export_surfaces(const std::string& path, const ShownDensity& density,
                            const std::vector<double>& levels);
/// Writes coordinates and, if the samples have them, weights.
std::string export_samples(const std::string& path, const SampleCloud& cloud);

/// Returns the arguments with which `skde` computes the state's density and writes it to `output`.
/// `H` is the bandwidth matrix of the density that is shown; it replaces a covariance that was read
/// from a file, whose path is not known.
std::vector<std::string> density_arguments(const ViewState& state,
                                           const std::optional<Symmetric3>& H,
                                           const std::string& output = "density.vti");

/// Returns the address of the page for browsers that shows the same view as a part of a picture, of
/// the cloud that the service has by the name of the file. `scale` is that of the display. Throws
/// Error(usage) if there is no density of one file of samples.
std::string page_address(const ViewScene& scene, const ViewState& state, const PixelRegion& part,
                         float scale);

}  // namespace skde::view
