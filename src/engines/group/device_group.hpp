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
/// a slab of the grid; the slabs are of about equal work. The values are, to the bit, those of one
/// device, whatever their number. Work that is small, or that the engine does not cut
/// (Offer::cut_step), is the first member's alone. At least one member.
std::unique_ptr<Engine> make_device_group(std::vector<GroupMember> members);

}  // namespace skde
