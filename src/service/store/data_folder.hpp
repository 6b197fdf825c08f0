#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  /// The same of an upload that nobody is told of before it is whole.
  std::string arriving(std::string_view id) const;
  /// Where a run reads its files by the names that clients know, and writes.
  std::string work(std::uint64_t run) const;
  std::string result(std::string_view key) const;
  std::string results() const { return path_ + "/results"; }
  std::string clouds() const { return path_ + "/clouds"; }
  /// Where links to a file of the server lie.
  std::string server_file(std::string_view id) const;
  /// What is being removed.
  std::string trash() const { return path_ + "/work/trash"; }
  /// Where a file of "clouds" or "incoming" lies that no table lists.
  std::string aside(std::string_view part, std::string_view name) const;
  /// Moves the files of "clouds" or "incoming" there whose IDs are not known, as another table may
  /// know them; what was still arriving goes. Returns how many were moved.
  std::size_t set_aside(const std::string& part,
                        const std::function<bool(std::string_view)>& known) const;
  /// A path as workers have it, who start in this folder, whose own name may be no text. Paths of
  /// other files stay as they are.
  std::string inside(const std::string& path) const;

 private:
  std::string path_;
  int lock_ = -1;
};

/// Gives a file another name on the same disk. False where that fails, as where a file of that name
/// is there already, which stays as it is.
bool move_file(const std::string& from, const std::string& to);
/// Puts the bytes of a file, or the names of a folder, on the disk. Throws Problem (507).
void sync_path(const std::string& path);
/// The same of a folder and of all files in it.
void sync_folder(const std::string& path);
/// "2026-01-31T12:00:00.000Z" of milliseconds since 1970; null where 0.
std::string time_text(std::int64_t milliseconds);
std::int64_t now_milliseconds();

}  // namespace skde::service
