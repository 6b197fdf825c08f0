#include "service/store/data_folder.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/report/error.hpp"

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

namespace fs = std::filesystem;
namespace {

constexpr const char* kArriving = ".part";
/// All that a service makes in its folder.
constexpr auto kNames = std::to_array<const char*>(
    {"clouds", "incoming", "results", "aside", "work", "links", "lock", "token", "token.part",
     "service.sqlite", "service.sqlite-wal", "service.sqlite-shm", "service.sqlite-journal"});

/// Returns true if the folder has nothing that others have made.
bool is_our_own(const std::string& folder) {
  std::error_code missing;
  return std::ranges::all_of(fs::directory_iterator(folder, missing), [](const auto& entry) {
    return std::ranges::find(kNames, entry.path().filename().string()) != kNames.end();
  });
}

/// Makes files of older versions private to their owner; new ones are by the umask of serve().
/// Throws Error(output) on failure.
void close_to_others(const std::string& folder, bool own) {
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  const auto close_one = [&](const fs::path& path) {
    std::error_code problem;
    if ((fs::status(path, problem).permissions() & kOthers) == fs::perms::none) return;
    fs::permissions(path, kOthers, fs::perm_options::remove, problem);
    if (problem)
      throw Error(
          ErrorKind::output,
          fmt::format("{}: other users may read it, and their permissions cannot be removed: {}",
                      path.string(), problem.message()),
          {"data", "name a folder of your own with `data`"});
  };
  if (own) close_one(folder);
  for (const char* const name : kNames)
    if (std::error_code missing; fs::exists(fs::path(folder) / name, missing))
      close_one(fs::path(folder) / name);
}

}  // namespace

DataFolder::DataFolder(std::string path) : path_(std::move(path)) {
  std::error_code problem;
  const bool own = is_our_own(path_);  // others need theirs open
  for (const char* name : {"", "/clouds", "/incoming", "/results"})
    fs::create_directories(path_ + name, problem);
  if (problem)
    throw Error(ErrorKind::output,
                fmt::format("{}: cannot be created: {}", path_, problem.message()), {"data", {}});
  path_ = fs::absolute(path_).string();
  close_to_others(path_, own);
  lock_ = open((path_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (lock_ >= 0 && errno == EWOULDBLOCK)
      throw Error(ErrorKind::usage, fmt::format("{}: another service uses this folder", path_),
                  {"data", "name another folder with `data`"});
    throw Error(ErrorKind::output,
                fmt::format("{}: is not writable: {}", path_, std::strerror(errno)),
                {"data", "name a writable folder with `data`"});
  }
  for (const char* const name : {"/work", "/links"}) {
    fs::remove_all(path_ + name, problem);
    fs::create_directories(path_ + name, problem);
  }
}

DataFolder::~DataFolder() {
  if (lock_ >= 0) close(lock_);
}

std::string DataFolder::cloud(std::string_view id, std::string_view suffix) const {
  return fmt::format("{}/clouds/{}{}", path_, id, suffix);
}
std::string DataFolder::incoming(std::string_view id) const {
  return fmt::format("{}/incoming/{}", path_, id);
}
std::string DataFolder::arriving(std::string_view id) const { return incoming(id) + kArriving; }
std::string DataFolder::work(std::uint64_t run) const {
  return fmt::format("{}/work/{}", path_, run);
}
std::string DataFolder::server_file(std::string_view id) const {
  return fmt::format("{}/work/files/{}", path_, id);
}
std::string DataFolder::result(std::string_view key) const {
  return fmt::format("{}/results/{}", path_, key);
}

std::string DataFolder::inside(const std::string& path) const {
  return path.starts_with(path_ + '/') ? path.substr(path_.size() + 1) : path;
}

std::string DataFolder::aside(std::string_view part, std::string_view name) const {
  return fmt::format("{}/aside/{}/{}", path_, part, name);
}

std::size_t DataFolder::set_aside(const std::string& part,
                                  const std::function<bool(std::string_view)>& known) const {
  std::error_code ignored;
  std::vector<std::string> unknown;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_ + '/' + part, ignored)) {
    std::string name = entry.path().filename().string();
    if (!known(std::string_view(name).substr(0, name.find('.'))))
      unknown.push_back(std::move(name));
  }
  std::size_t count = 0;
  for (const std::string& name : unknown) {
    const std::string path = path_ + '/' + part + '/' + name;
    if (part == "incoming" && name.ends_with(kArriving)) {
      fs::remove(path, ignored);
      continue;
    }
    std::string place = aside(part, name);
    fs::create_directories(fs::path(place).parent_path(), ignored);
    for (int copy = 2; fs::exists(place, ignored); ++copy)
      place = fmt::format("{}.{}", aside(part, name), copy);
    if (move_file(path, place)) ++count;
  }
  return count;
}

bool move_file(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // Some file systems cannot check and move in one step; nothing else writes in this folder.
  if (access(to.c_str(), F_OK) == 0) {
    errno = EEXIST;
    return false;
  }
  return std::rename(from.c_str(), to.c_str()) == 0;
}

void sync_path(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  if (!synced) throw Problem(507, "disk", "the disk of the service cannot store data permanently");
}

void sync_folder(const std::string& path) {
  std::error_code problem;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator file(path, problem), end; !problem && file != end;
       file.increment(problem))
    files.push_back(file->path().string());
  if (problem) throw Problem(507, "disk", "the disk of the service cannot store data permanently");
  for (const std::string& file : files) sync_path(file);
  sync_path(path);
}

std::string time_text(std::int64_t milliseconds) {
  const std::time_t seconds = milliseconds / 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), milliseconds % 1000);
}

std::int64_t now_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

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
