#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::service {

/// The content address of bytes, which nobody makes others of: SHA-256 (FIPS 180-4), 64 hexadecimal
/// digits.
std::string content_name(std::string_view bytes);
/// The same of a file. Throws Problem (404 where it is not there, 507 where it cannot be read).
std::string content_name_of_file(const std::string& path);

/// What tells that bytes were damaged, not who they are: XXH3-128, 32 hexadecimal digits.
std::string check_sum(std::string_view bytes);
/// The same of a file. Throws Problem as content_name_of_file().
std::string check_sum_of_file(const std::string& path);

/// Which file lies at a path, how long it is, and when its bytes and its inode changed, in
/// nanoseconds: "INODE:SIZE:WRITTEN:CHANGED"; "none" where there is none. Whoever writes to a file,
/// or puts another in its place, may set the first time back, never the last. The device is left
/// out, as its number may be another one when the machine has started anew.
std::string file_stamp(const std::string& path);
/// The same of a file and of others in its folder, by their names.
std::string file_stamps(const std::string& path, const std::vector<std::string>& beside);
/// The names of those others.
std::vector<std::string> names_in(std::string_view stamps);
/// True where the files are those, and as they were, when file_stamps() gave this for that path.
bool has_stamps(const std::string& path, std::string_view stamps);
/// Throws Problem (409) that calls it by this name where has_stamps() is false.
void require_stamps(const std::string& path, std::string_view stamps, const std::string& name);

}  // namespace skde::service
