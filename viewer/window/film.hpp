#pragma once

#include "viewer/scene/view_frame.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Writes the film of the options: a turn of the camera, a window that moves through time, a range
/// of h, or the steps of the method. The box and the axis of colours are the same in all pictures.
/// Throws what the densities throw, Error(output) if a file cannot be written, and
/// Error(cancelled).
void write_film(ViewFrame& frame, ViewSession& session, const ViewOptions& options);

}  // namespace skde::view
