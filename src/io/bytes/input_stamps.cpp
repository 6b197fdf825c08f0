#include "io/bytes/input_stamps.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "core/report/error.hpp"

namespace skde::io {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

bool is_read_once(const std::string& path) {
  if (path == "-") return true;
  struct stat status {};
  // A missing file is not read at all; the reader reports it.
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::string first_read_once(const std::vector<std::string>& inputs) {
  const auto found = std::ranges::find_if(inputs, is_read_once);
  return found == inputs.end() ? "" : *found;
}

std::uint64_t file_bytes(const std::vector<std::string>& inputs) {
  std::uint64_t bytes = 0;
  for (const std::string& input : inputs) {
    struct stat status {};
    if (::stat(input.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      bytes += static_cast<std::uint64_t>(status.st_size);
  }
  return bytes;
}

InputStamps::InputStamps(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {
  stamps_.reserve(inputs_.size());
  for (const std::string& input : inputs_) stamps_.push_back(stamp_of(input));
}

std::optional<InputStamps::Stamp> InputStamps::stamp_of(const std::string& path) {
  struct stat status {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  return Stamp{status.st_dev, status.st_ino, status.st_size, nanoseconds(status.st_mtim),
               nanoseconds(status.st_ctim)};
}

void InputStamps::require_unchanged() const {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (stamp_of(inputs_[i]) != stamps_[i])
      throw Error(ErrorKind::input, fmt::format("{}: changed while it was being read", inputs_[i]),
                  {{}, "wait until it is complete, or read a copy of it"});
}

}  // namespace skde::io
