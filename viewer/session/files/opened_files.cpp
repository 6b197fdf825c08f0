#include "viewer/session/files/opened_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <system_error>
#include <tuple>

#include "core/report/error.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/bytes/packing.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/points/formats/point_formats.hpp"
#include "io/points/point_writer.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/volume_formats.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::view {
namespace {

namespace fs = std::filesystem;

constexpr double kPause = 1;  // seconds
using Json = nlohmann::ordered_json;

std::vector<std::vector<std::string>> lists_from(const Json& json) {
  std::vector<std::vector<std::string>> lists;
  if (!json.is_array()) return lists;
  for (const Json& list : json) {
    std::vector<std::string> paths;
    if (!list.is_array()) continue;
    for (const Json& path : list)
      if (path.is_string()) paths.push_back(path.get<std::string>());
    if (!paths.empty()) lists.push_back(std::move(paths));
  }
  return lists;
}

namespace fs = std::filesystem;

bool is_known(const std::string& name, std::span<const std::string> extensions) {
  if (extensions.empty()) return true;
  const std::string low = io::lower_case(name);
  const std::string plain(io::without_packer_extension(low));
  return std::ranges::any_of(extensions, [&](const std::string& extension) {
    return low.ends_with(extension) || plain.ends_with(extension);
  });
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Returns the digits that a text begins with, without leading zeros.
std::string_view number_at(std::string_view text) {
  while (text.size() > 1 && text[0] == '0' && is_digit(text[1])) text.remove_prefix(1);
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  return text.substr(0, length);
}

bool is_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view m = number_at(a), n = number_at(b);
      if (m != n) return std::tuple(m.size(), m) < std::tuple(n.size(), n);
      a.remove_prefix(static_cast<std::size_t>(m.data() + m.size() - a.data()));
      b.remove_prefix(static_cast<std::size_t>(n.data() + n.size() - b.data()));
      continue;
    }
    const int x = std::tolower(static_cast<unsigned char>(a[0]));
    const int y = std::tolower(static_cast<unsigned char>(b[0]));
    if (x != y) return x < y;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

FolderEntry entry_of(const fs::directory_entry& found) {
  std::error_code none;  // an entry that is gone by now has no size
  FolderEntry entry{.name = found.path().filename().string(),
                    .is_folder = found.is_directory(none)};
  if (!entry.is_folder) entry.bytes = found.file_size(none);
  if (none) entry.bytes = 0;
  const auto written = fs::last_write_time(found.path(), none);
  if (!none)
    entry.written = std::chrono::duration_cast<std::chrono::seconds>(
                        fs::file_time_type::clock::to_sys(written).time_since_epoch())
                        .count();
  return entry;
}

}  // namespace

RecentFiles::RecentFiles() {
  const std::string view = recent_state_path();
  if (view.empty()) return;
  path_ = (fs::path(view).parent_path() / "recent.json").string();
  std::error_code none;  // a file that cannot be examined counts as missing
  first_use_ = !fs::exists(path_, none) && !fs::exists(view, none);
  if (!fs::exists(path_, none)) return;
  try {
    lists_ = lists_from(io::read_json(path_));
  } catch (const Error&) {
    return;
  }
}

void RecentFiles::add(const std::vector<std::string>& paths) {
  if (paths.empty() || !io::first_read_once(paths).empty()) return;
  std::vector<std::string> whole;
  for (const std::string& path : paths) whole.push_back(fs::absolute(path).string());
  if (!lists_.empty() && lists_.front() == whole) return;
  std::erase(lists_, whole);
  lists_.insert(lists_.begin(), std::move(whole));
  if (lists_.size() > kMost) lists_.resize(kMost);
  if (path_.empty()) return;
  std::error_code problem;  // without the folder, the file cannot be written
  fs::create_directories(fs::path(path_).parent_path(), problem);
  try {
    io::write_json(path_, Json(lists_));
  } catch (const Error&) {
    path_.clear();  // the list stays in memory
  }
}

void FileWatch::watch(const std::vector<std::string>& paths) {
  if (paths == paths_) return;
  paths_ = paths;
  known_ = seen_ = stamps();
}

std::vector<FileWatch::Stamp> FileWatch::stamps() const {
  std::vector<Stamp> stamps;
  for (const std::string& path : paths_) {
    std::error_code none;  // a part of a file, or one that is gone, has no stamp
    const auto written = std::filesystem::last_write_time(path, none);
    const std::uintmax_t bytes = none ? 0 : std::filesystem::file_size(path, none);
    stamps.push_back(none ? Stamp() : Stamp(std::pair(written, bytes)));
  }
  return stamps;
}

bool FileWatch::changed(double now) {
  if (paths_.empty() || now - looked_at_ < kPause) return false;
  looked_at_ = now;
  std::vector<Stamp> current = stamps();
  const bool is_still = current == seen_;
  seen_ = std::move(current);
  const bool all_there = std::ranges::all_of(seen_, [](const Stamp& stamp) { return !!stamp; });
  if (!is_still || seen_ == known_ || !all_there) return false;
  known_ = seen_;
  return true;
}

std::vector<FolderEntry> list_folder(const std::string& folder,
                                     std::span<const std::string> extensions) {
  std::vector<FolderEntry> entries;
  std::error_code problem;
  fs::directory_iterator found(folder, problem);
  for (; !problem && found != fs::directory_iterator(); found.increment(problem)) {
    FolderEntry entry = entry_of(*found);
    if (entry.name.starts_with('.')) continue;
    if (entry.is_folder || is_known(entry.name, extensions)) entries.push_back(std::move(entry));
  }
  if (problem)
    throw Error(ErrorKind::input, fmt::format("{}: {}", folder, problem.message()),
                {{}, "choose another folder"});
  std::ranges::sort(entries, [](const FolderEntry& a, const FolderEntry& b) {
    return a.is_folder != b.is_folder ? a.is_folder : is_before(a.name, b.name);
  });
  return entries;
}

namespace {

using Names = std::vector<std::string>;

/// Adds the extensions in a list such as ".hdf5 .h5" or ".ply, .npy".
void add(Names& names, std::string_view list) {
  std::string text(list);
  std::ranges::replace(text, ',', ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (std::ranges::count(names, word) == 0) names.push_back(word);
}

Names volumes() {
  Names names;
  for (const io::VolumeFormat& format : io::volume_formats())
    if (format.unavailable.empty()) add(names, format.extension);
  return names;
}

Names inputs() {
  Names names = volumes();
  add(names, ".nhdr .mhd .hdr");  // headers of volumes whose values are in another file
  for (const io::PointFormat& format : io::point_formats())
    if (format.unavailable.empty()) add(names, format.extensions);
  return names;
}

Names listed(const std::string& list) {
  Names names;
  add(names, list);
  return names;
}

constexpr std::array<FileUse, 7> kUses{{
    {FilePurpose::open, "Open", "open", "", inputs},
    {FilePurpose::open_view, "Open a view", "open", "", [] { return Names{".json"}; }},
    {FilePurpose::save_view, "Save the view", "save", "view.json", [] { return Names{".json"}; }},
    {FilePurpose::volume, "Save the volume", "save", "density.vti", volumes},
    {FilePurpose::surface, "Save the surface", "save", "surface.ply",
     [] { return listed(io::mesh_extensions()); }},
    {FilePurpose::samples, "Save the samples", "save", "samples.ply",
     [] { return listed(io::point_writer_extensions()); }},
    {FilePurpose::picture, "Save the picture", "save", "skde-view.png",
     [] {
       return Names{".png", ".svg", ".pdf"};
     }},
}};

}  // namespace

const FileUse& file_use(FilePurpose purpose) {
  return *std::ranges::find(kUses, purpose, &FileUse::purpose);
}

}  // namespace skde::view
