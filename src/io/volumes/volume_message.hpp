#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "core/report/error.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::io {

// The message from a process that reads a file to the one that asked for it: an error, or the head
// of a volume and then its values, or bytes. Both run on the same machine. The message begins with
// the version, which must be the same for both.

using GiveBytes = std::function<void(std::string_view bytes)>;
/// Reads `count` bytes; returns false if there are no more.
using TakeBytes = std::function<bool(char* to, std::size_t count)>;

/// Thrown if the received bytes are not a message, or only its beginning.
struct BrokenMessage {};

void send_error(const GiveBytes& give, const Error& error);
void send_head(const GiveBytes& give, const VolumeHead& head);
/// Returns the memory of values to the system as they are sent.
void send_volume(const GiveBytes& give, VolumeFile file);

/// One of several pieces of at most 16 MiB; an empty one ends them.
void send_bytes(const GiveBytes& give, std::string_view bytes);

/// Each throws the error that was sent instead, or BrokenMessage. `name` is the name of the file.
/// Sizes that exceed the memory of this machine are not trusted: Error(resources).
VolumeHead receive_head(const TakeBytes& take);
VolumeFile receive_volume(const TakeBytes& take, const std::string& name);
std::string receive_bytes(const TakeBytes& take);

}  // namespace skde::io
