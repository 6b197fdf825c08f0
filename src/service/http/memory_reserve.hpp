#pragma once

namespace skde::service {

/// Sets memory aside for the work in progress when memory runs out: even some destructors, such as
/// those of JSON, allocate memory and must not fail.
void keep_memory_reserve();

/// Sets the memory aside again if it was used. Returns false if there is too little memory; then no
/// large request should begin.
bool refill_memory_reserve();

}  // namespace skde::service
