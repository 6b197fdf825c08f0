#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/volumes/volume_formats.hpp"
#include "io/volumes/volume_message.hpp"

namespace skde::io {

// Third-party libraries trust what a broken or hostile file says: they may end the program, run
// forever, or allocate all memory. Files of their formats are therefore read in a separate process,
// whose time and memory are limited by the size of the file. It runs another program, not a fork of
// this one: a fork of a program with threads may do next to nothing.

/// Returns the command line of that program with these arguments: format, part and path, and more.
/// Throws Error(unsupported) if it is not installed.
std::vector<std::string> reader_command(std::vector<std::string> arguments);

/// Same as read() and read_head() of the format. Throws Error(input) if the process ends without an
/// answer, or is silent for `patience` seconds; Error(unsupported) if its program is not installed.
/// `field` selects one of several volumes; empty means the default one.
VolumeFile read_volume_sandboxed(const VolumeFormat& format, const std::string& path,
                                 double patience, const std::string& field = {});
VolumeHead read_head_sandboxed(const VolumeFormat& format, const std::string& path, double patience,
                               const std::string& field = {});

/// The other side, in that process: sets its limits for a file, calls `send`, and sends the error
/// that it throws. Messages go to standard output. Returns the exit code.
int answer_reader(const std::string& path, const std::function<void(const GiveBytes&)>& send);

/// Sends a volume. The arguments of the command line are the format, "volume" or
/// "head", the path, and the field, if one is named.
void send_part(const GiveBytes& give, const std::string& format, const std::string& part,
               const std::string& path, const std::string& field);

}  // namespace skde::io
