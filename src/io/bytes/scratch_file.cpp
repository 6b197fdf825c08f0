#include "io/bytes/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"

namespace skde::io {

ScratchFile::ScratchFile(const std::string& beside, std::uint64_t bytes) : place_(beside) {
  std::string path = beside + ".scratch-XXXXXX";
  descriptor_ = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
  unlink(path.c_str());
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
    const int problem = errno;
    close(descriptor_);
    fail(problem);
  }
  placed_ = std::make_unique<PlacedWrites>(descriptor_, bytes);
}

ScratchFile::~ScratchFile() {
  placed_.reset();
  if (descriptor_ >= 0) close(descriptor_);
}

void ScratchFile::fail(int problem) const {
  throw Error(ErrorKind::output, fmt::format("{}: a scratch file beside it failed: {}; nothing was "
                                             "left behind",
                                             place_, std::strerror(problem)));
}

void ScratchFile::write(std::uint64_t position, const void* bytes, std::size_t count) {
  if (const int problem = placed_->write(position, bytes, count); problem != 0) fail(problem);
}

void ScratchFile::read(std::uint64_t position, void* to, std::size_t count) const {
  char* into = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t done = pread(descriptor_, into, count, static_cast<off_t>(position));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : EIO);
    into += done;
    position += static_cast<std::uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
}

void make_folder(const std::filesystem::path& folder, std::string_view named_by) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem)
    throw Error(ErrorKind::output, fmt::format("{}: the folder cannot be created: {} (named by {})",
                                               folder.string(), problem.message(), named_by));
}

ScratchFolder::ScratchFolder(const std::string& parent, std::string_view named_by)
    : path_(parent + "/skde-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr)
    throw Error(ErrorKind::output,
                fmt::format("{}: no folder can be created there: {} (named by {})", parent,
                            std::strerror(errno), named_by));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // whatever cannot be removed stays
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::file(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

std::string ScratchFolder::write(std::string_view name, std::string_view text) const {
  OutputFile output(file(name));
  output.write(text);
  output.commit();
  return file(name);
}

}  // namespace skde::io
