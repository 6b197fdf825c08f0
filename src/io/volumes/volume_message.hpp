#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "core/report/error.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::io {

// What a process that reads a volume says to the one that asked for it: an error, or the head and
// then the values. Both run on one machine and are of one version, which the message begins with.

using GiveBytes = std::function<void(std::string_view bytes)>;
/// Fills `count` bytes; false where there are no more.
using TakeBytes = std::function<bool(char* to, std::size_t count)>;

/// What was received is no message, or the beginning of one.
struct BrokenMessage {};

void send_error(const GiveBytes& give, const Error& error);
void send_head(const GiveBytes& give, const VolumeHead& head);
/// The memory of values goes back to the system as they are sent.
void send_volume(const GiveBytes& give, VolumeFile file);

/// Each throws the error that was sent instead, and BrokenMessage. `name`: of the file. Nothing is
/// believed of sizes that no memory here holds: Error(resources).
VolumeHead receive_head(const TakeBytes& take);
VolumeFile receive_volume(const TakeBytes& take, const std::string& name);

}  // namespace skde::io
