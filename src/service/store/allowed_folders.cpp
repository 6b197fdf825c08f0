#include "service/store/allowed_folders.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/report/error.hpp"
#include "service/answer/http_problem.hpp"

namespace skde::service {
namespace {

/// Opens a file below a folder; no link in the path may lead out of the folder. Returns the
/// descriptor, or -1 on failure.
int open_beneath(const std::string& folder, const std::string& relative, int flags) {
  const int root = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return -1;
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long opened = -1;
  // If something is renamed meanwhile, the system cannot tell whether the path led out (EAGAIN).
  for (int tries = 0; tries < 100; ++tries) {
    opened = syscall(SYS_openat2, root, relative.c_str(), &how, sizeof how);
    if (opened >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  const int problem = errno;
  close(root);
  errno = problem;
  return static_cast<int>(opened);
}

}  // namespace

ServerFile::ServerFile(std::string folder, const std::string& name,
                       std::shared_ptr<const OpenFile> file)
    : folder_(std::move(folder)), path_(folder_ + '/' + name) {
  std::error_code problem;
  std::filesystem::create_directories(folder_, problem);
  add(name, std::move(file));
}

ServerFile::~ServerFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void ServerFile::add(const std::string& name, std::shared_ptr<const OpenFile> file) {
  const std::string target = fmt::format("/proc/{}/fd/{}", getpid(), file->descriptor());
  // A header may refer to itself.
  if (symlink(target.c_str(), (folder_ + '/' + name).c_str()) != 0 && errno != EEXIST)
    throw Problem(507, "disk", "the disk of the service cannot be written to");
  files_.push_back(std::move(file));
}

AllowedFolders::AllowedFolders(std::vector<std::string> folders) : folders_(std::move(folders)) {
  for (const std::string& folder : folders_) {
    const int opened = open_beneath(folder, ".", O_PATH | O_DIRECTORY);
    if (opened < 0)
      throw Error(
          ErrorKind::unsupported,
          fmt::format("{}: cannot be opened in a way that confines links to it (openat2): {}",
                      folder, std::strerror(errno)),
          {"allow_path", "leave out `allow_path`, or use Linux 5.6 or newer"});
    close(opened);
  }
}

std::shared_ptr<const OpenFile> AllowedFolders::open_one(const std::string& path) const {
  namespace fs = std::filesystem;
  for (const std::string& folder : folders_) {
    std::error_code problem;
    const fs::path root = fs::canonical(folder, problem);
    const fs::path relative = fs::path(path).lexically_relative(root);
    if (problem || relative.empty() || *relative.begin() == "..") continue;
    // Does not wait for a pipe, which is not a file.
    const int opened = open_beneath(root.string(), relative.string(), O_RDONLY | O_NONBLOCK);
    if (opened < 0) continue;
    auto file = std::make_shared<const OpenFile>(opened);
    struct stat about {};
    if (fstat(opened, &about) == 0 && S_ISREG(about.st_mode)) return file;
  }
  return nullptr;
}

ServerFilePtr AllowedFolders::open(const std::string& path, const NamesBeside& beside,
                                   const std::string& place) const {
  auto first = open_one(path);
  if (!first) return nullptr;
  const std::filesystem::path name(path);
  const auto file = std::make_shared<ServerFile>(place, name.filename().string(), std::move(first));
  for (const std::string& other : beside(file->path()))
    if (auto found = open_one((name.parent_path() / other).string()))
      file->add(other, std::move(found));
  return file;
}

}  // namespace skde::service
