#include "service/data_folder.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <vector>

#include "core/error.hpp"
#include "service/http_problem.hpp"

namespace skde::service {

namespace fs = std::filesystem;

DataFolder::DataFolder(std::string path) : path_(std::move(path)) {
  std::error_code problem;
  for (const char* name : {"", "/clouds", "/incoming", "/results"})
    fs::create_directories(path_ + name, problem);
  if (problem)
    throw Error(ErrorKind::output, fmt::format("{}: cannot be made: {}", path_, problem.message()),
                {"data", {}});
  path_ = fs::absolute(path_).string();
  lock_ = open((path_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0)
    throw Error(ErrorKind::usage, fmt::format("{}: another service uses this folder", path_),
                {"data", "name another folder with `data`"});
  fs::remove_all(path_ + "/work", problem);
  fs::create_directories(path_ + "/work", problem);
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
std::string DataFolder::work(std::uint64_t run) const {
  return fmt::format("{}/work/{}", path_, run);
}
std::string DataFolder::result(std::string_view key) const {
  return fmt::format("{}/results/{}", path_, key);
}

void sync_path(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  if (!synced) throw Problem(507, "disk", "the disk of the service does not keep what is written");
}

void sync_folder(const std::string& path) {
  std::error_code problem;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator file(path, problem), end; !problem && file != end;
       file.increment(problem))
    files.push_back(file->path().string());
  if (problem) throw Problem(507, "disk", "the disk of the service does not keep what is written");
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

}  // namespace skde::service
