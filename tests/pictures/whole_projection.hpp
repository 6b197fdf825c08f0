#pragma once

#include "core/space/projection.hpp"

namespace skde::test {

/// The projections of a whole volume.
inline Projections project_maximum(const Volume& volume) {
  MaximumProjector projector(volume.grid().dims);
  projector.add(0, volume);
  return projector.take_projections();
}

}  // namespace skde::test
