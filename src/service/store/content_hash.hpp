#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::service {

/// Returns the content address of bytes, for which collisions cannot be forged: SHA-256 (FIPS
/// 180-4), 64 hexadecimal digits.
std::string content_name(std::string_view bytes);
/// Returns the content address of a file. Throws Problem: 404 if the file does not exist, 507 if it
/// cannot be read.
std::string content_name_of_file(const std::string& path);

/// Returns a check sum that detects damage, but not forgery: XXH3-128, 32 hexadecimal digits.
std::string check_sum(std::string_view bytes);
/// Returns the check sum of a file. Throws Problem as content_name_of_file().
std::string check_sum_of_file(const std::string& path);

/// Returns the identity of the file at a path: "INODE:SIZE:WRITTEN:CHANGED", with the times when
/// its bytes and its inode changed, in nanoseconds; "none" if it does not exist. A program that
/// changes or replaces a file can set the first time back, but never the last. The device is left
/// out, as its number may change when the machine restarts.
std::string file_stamp(const std::string& path);
/// Returns the stamps of a file and of others in its folder, by their names.
std::string file_stamps(const std::string& path, const std::vector<std::string>& beside);
/// Returns the names of those others.
std::vector<std::string> names_in(std::string_view stamps);
/// Returns true if the files have not changed since file_stamps() returned `stamps` for this path.
bool has_stamps(const std::string& path, std::string_view stamps);
/// Throws Problem (409), which shows `name`, if has_stamps() is false.
void require_stamps(const std::string& path, std::string_view stamps, const std::string& name);

}  // namespace skde::service
