#pragma once

#include <memory>
#include <vector>

#include "engines/engine.hpp"

namespace skde {

/// An engine on a device.
struct GroupMember {
  int device = 0;
  std::unique_ptr<Engine> engine;
};

/// Engines of one kind on several devices as one engine. Each device holds all samples and computes
/// a slab of the grid; the slabs are of about equal work. Where few slices hold the work, and of
/// samples with shapes of their own, each computes every n-th tile of a grid that is not large, and
/// these grids are added up (Offer::shares_tiles). The values are, to the bit, those of one device,
/// whatever their number. Work that is small, or that the engine divides neither way, is the first
/// member's alone. At least one member.
std::unique_ptr<Engine> make_device_group(std::vector<GroupMember> members);

}  // namespace skde
