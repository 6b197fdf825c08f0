#pragma once

namespace skde::service {

/// From now on a part of the memory is kept aside for what is in work when there is no more: its
/// destructors ask for memory as well (those of JSON do), and cannot fail.
void keep_memory_reserve();

/// Takes the part again, if it has gone. False where there is too little memory for it: then no
/// large request should begin.
bool refill_memory_reserve();

}  // namespace skde::service
