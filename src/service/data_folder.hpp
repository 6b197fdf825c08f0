#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skde::service {

/// Where everything lies. One service at a time uses it.
class DataFolder {
 public:
  /// Makes it, takes its lock, and removes what was unfinished. Error(output), Error(usage).
  explicit DataFolder(std::string path);
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string database() const { return path_ + "/service.sqlite"; }
  std::string cloud(std::string_view id, std::string_view suffix) const;
  std::string incoming(std::string_view id) const;
  std::string work(std::uint64_t run) const;
  std::string result(std::string_view key) const;
  std::string results() const { return path_ + "/results"; }

 private:
  std::string path_;
  int lock_ = -1;
};

/// Puts the bytes of a file, or the names of a folder, on the disk. Throws Problem (507).
void sync_path(const std::string& path);
/// The same of a folder and of all files in it.
void sync_folder(const std::string& path);
/// "2026-01-31T12:00:00.000Z" of milliseconds since 1970; null where 0.
std::string time_text(std::int64_t milliseconds);
std::int64_t now_milliseconds();

}  // namespace skde::service
