#pragma once

#include <memory>
#include <vector>

#include "engines/engine.hpp"

namespace skde {

/// An engine and its device.
struct GroupMember {
  int device = 0;
  std::unique_ptr<Engine> engine;
};

/// Makes one engine of engines of one kind, each on its own device. Each device holds all samples
/// and computes a slab of the grid; slabs have about equal work. If few slices hold the work, or if
/// samples have shapes of their own, each device computes every n-th tile of the grid instead, and
/// the devices' grids are added up (Offer::shares_tiles); such a grid must not be large. Of points,
/// each device computes every n-th block. The values are, to the bit, those of one device. Work
/// that is small, or that the engine divides neither way, is left to the first member. `members`
/// must not be empty.
std::unique_ptr<Engine> make_device_group(std::vector<GroupMember> members);

}  // namespace skde
