#include "service/store/result_store.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/text/json_object.hpp"
#include "service/answer/http_message.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKnown = 256;
/// Limit of a cached result: values, plus bytes of texts.
constexpr std::size_t kMostValues = std::size_t{1} << 14;

ResultPtr result_from(const std::string& key, const std::string& folder, const Json& json) {
  auto result = std::make_shared<StoredResult>();
  result->key = key;
  result->folder = folder;
  result->request = json.value("request", Json::object());
  result->files = json.value("files", Json::object());
  result->values = json.value("values", Json::object());
  return result;
}

/// Reads the description in a folder, with its check sum on the next line, which older versions do
/// not write. Returns an invalid value if it is broken.
Json description_in(const std::string& folder) {
  std::ifstream file(folder + "/result.json");
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str(), line = text.substr(0, text.find('\n'));
  Json json = io::json_if_valid(line);
  const Json broken = io::json_if_valid("");
  if (!json.is_object()) return broken;
  const bool sealed = json.contains("sealed") || text.size() > line.size();
  return sealed && text != line + '\n' + check_sum(line) + '\n' ? broken : json;
}

bool is_file(const Json& file) {
  const auto is = [&](const char* key, Json::value_t type) {
    const auto found = file.find(key);
    return found != file.end() && found->type() == type;
  };
  return file.is_object() && is("file", Json::value_t::string) &&
         is("type", Json::value_t::string) && is("bytes", Json::value_t::number_unsigned);
}

bool has_files(const StoredResult& result) {
  if (!result.files.is_object() || !result.values.is_object()) return false;
  for (const auto& [name, file] : result.files.items()) {
    if (!is_file(file)) return false;
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(result.path_of(file), missing);
    if (missing || bytes != file["bytes"].get<std::uint64_t>()) return false;
  }
  return true;
}

std::string looks_of(const StoredResult& result) {
  std::string looks = "files";
  for (const auto& [name, file] : result.files.items())
    looks += ' ' + file_stamp(result.path_of(file));
  return looks;
}

/// Verifies the check sums of the files, or the sizes alone for results of older versions, which
/// have no sums. Throws Problem (503) if existing files cannot be read.
bool has_sums(const StoredResult& result) {
  if (!has_files(result)) return false;
  try {
    for (const auto& [name, file] : result.files.items())
      if (const auto sum = file.find("sum");
          sum != file.end() && *sum != check_sum_of_file(result.path_of(file)))
        return false;
  } catch (const Problem&) {
    if (!has_files(result)) return false;
    throw Problem(503, "busy", "the result cannot be read at present; try again later")
        .with("Retry-After", "5");
  }
  return true;
}

/// Returns true if a value has at most `left` values and bytes of text; subtracts them from `left`.
bool is_small(const Json& json, std::size_t& left) {
  const std::size_t bytes = 1 + (json.is_string() ? json.get_ref<const std::string&>().size() : 0);
  if (bytes > left) return false;
  left -= bytes;
  return !json.is_structured() ||
         std::ranges::all_of(json, [&](const Json& part) { return is_small(part, left); });
}

}  // namespace

std::string StoredResult::path_of(const Json& file) const {
  return folder + '/' + file["file"].get<std::string>();
}

std::string StoredResult::etag_of(std::string_view output) const {
  if (const auto value = values.find(output); value != values.end())
    return fmt::format("\"{}-{}-{}\"", key, output, check_sum(io::json_line(*value)));
  const auto file = files.find(output);
  const std::string sum = file == files.end() ? "" : file->value("sum", "");
  return sum.empty() ? fmt::format("W/\"{}-{}\"", key, output)
                     : fmt::format("\"{}-{}-{}\"", key, output, sum);
}

void ResultStore::keep(const ResultPtr& result, std::string looks, bool on_disk) {
  std::size_t left = kMostValues;
  const bool small = is_small(result->request, left) && is_small(result->values, left);
  newest_.push_front({result->key, small ? result : nullptr, std::move(looks), on_disk});
  known_[result->key] = newest_.begin();
  if (newest_.size() > kMostKnown) {
    known_.erase(newest_.back().key);
    newest_.pop_back();
  }
}

void ResultStore::load() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.results(), ignored)) {
    struct stat about {};
    if (stat(entry.path().c_str(), &about) != 0) continue;
    Stored stored;
    stored.used = about.st_mtim.tv_sec * 1000 + about.st_mtim.tv_nsec / 1000000;
    for (const auto& file : std::filesystem::directory_iterator(entry.path(), ignored)) {
      const std::uintmax_t bytes = file.file_size(ignored);
      if (!ignored) stored.bytes += bytes;
    }
    // Older versions name the owner only if the inputs are not for all.
    const Json json = description_in(entry.path().string());
    for (const char* const place : {"/owner", "/request/owner"})
      if (const Json::json_pointer owner(place); stored.owner.empty() && json.is_object() &&
                                                 json.contains(owner) && json[owner].is_string())
        stored.owner = json[owner].get<std::string>();
    add(entry.path().filename().string(), std::move(stored));
  }
}

std::int64_t ResultStore::used_at(const std::string& key) const {
  const auto found = stored_.find(key);
  return found == stored_.end() ? 0 : found->second.used;
}

void ResultStore::add(const std::string& key, Stored stored) {
  held_[stored.owner] += stored.bytes;
  stored_[key] = std::move(stored);
}

void ResultStore::drop(const std::string& key) {
  const auto found = stored_.find(key);
  if (found == stored_.end()) return;
  held_[found->second.owner] -= found->second.bytes;
  stored_.erase(found);
}

/// An owner whose token is gone has no share.
std::uint64_t ResultStore::share_of(std::string_view owner) const {
  const auto& owners = tokens_.owners();
  return owners.contains(owner) ? quota_ / owners.size() : 0;
}

std::uint64_t ResultStore::most_bytes(std::string_view owner) const {
  std::uint64_t kept = 0;
  for (const auto& [other, bytes] : held_)
    if (other != owner) kept += std::min(bytes, share_of(other));
  return quota_ - kept;
}

/// Removes the oldest results of the owner who is furthest above a share, until the bytes fit.
void ResultStore::make_room(const std::string& owner, std::uint64_t bytes) {
  const auto excess = [&](const auto& held) {
    const std::uint64_t all = held.second + (held.first == owner ? bytes : 0);
    return held.second == 0 ? 0 : all - std::min(all, share_of(held.first));
  };
  const auto sum = [&] {
    std::uint64_t all = bytes;
    for (const auto& [other, held] : held_) all += held;
    return all;
  };
  while (sum() > quota_ && !held_.empty()) {
    const auto most = std::ranges::max_element(held_, {}, excess);
    if (excess(*most) == 0) return;
    const auto oldest = std::ranges::min_element(stored_, {}, [&](const auto& one) {
      return std::pair(one.second.owner != most->first, one.second.used);
    });
    remove(std::string(oldest->first));
  }
}

void ResultStore::remove_if(const std::function<bool(std::int64_t used)>& is_old) {
  std::vector<std::string> old;
  for (const auto& [key, stored] : stored_)
    if (is_old(stored.used)) old.push_back(key);
  for (const std::string& key : old) remove(key);
  make_room({}, 0);
}

/// A result goes whole, so that nobody sees half of one.
void ResultStore::remove(const std::string& key) {
  const std::string trash = fmt::format("{}-{}", folder_.trash(), ++removed_);
  std::rename(folder_.result(key).c_str(), trash.c_str());
  forget(key);
  drop(key);
  storage_.post([trash](Database&) {
    std::error_code ignored;
    std::filesystem::remove_all(trash, ignored);
  });
}

ResultPtr ResultStore::find(const std::string& key) {
  // The time of the folder records for later services when it was last used.
  const std::string folder = folder_.result(key);
  if (utimensat(AT_FDCWD, folder.c_str(), nullptr, 0) != 0) {
    forget(key);
    drop(key);
    return nullptr;
  }
  if (const auto stored = stored_.find(key); stored != stored_.end())
    stored->second.used = now_milliseconds();
  const auto found = known_.find(key);
  ResultPtr result;
  if (found != known_.end()) {
    newest_.splice(newest_.begin(), newest_, found->second);
    result = newest_.front().result;
  }
  if (!result) {
    const Json json = description_in(folder);
    if (!json.is_object()) return nullptr;
    result = result_from(key, folder, json);
  }
  if (!has_files(*result)) return nullptr;
  if (found == known_.end()) keep(result, {}, false);
  return result;
}

bool ResultStore::trusts(const StoredResult& result, bool on_disk) const {
  const auto known = known_.find(result.key);
  return known != known_.end() && (known->second->on_disk || !on_disk) &&
         known->second->looks == looks_of(result);
}

std::string ResultStore::check(const StoredResult& result) {
  const std::string looks = looks_of(result);
  if (has_sums(result)) {
    sync_folder(result.folder);
    sync_path(std::filesystem::path(result.folder).parent_path().string());
    return looks;
  }
  std::error_code ignored;
  std::filesystem::remove_all(result.folder, ignored);
  return "";
}

void ResultStore::trust(const std::string& key, const std::string& looks) {
  if (looks.empty()) {
    drop(key);
    return forget(key);
  }
  const auto known = known_.find(key);
  if (known == known_.end()) return;
  known->second->looks = looks;
  known->second->on_disk = true;
}

ResultPtr ResultStore::find(const std::string& key, const Json& request) {
  ResultPtr result = find(key);
  return result && result->request == request ? result : nullptr;
}

ResultPtr ResultStore::in_work(const std::string& work, const std::string& key, const Json& json) {
  return result_from(key, work, json);
}

ResultPtr ResultStore::adopt(const std::string& work, const std::string& key, const Json& json,
                             bool on_disk) {
  const std::string folder = folder_.result(key);
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(work + "/result.json", missing);
  Stored stored{json.value("owner", ""), missing ? 0 : bytes, now_milliseconds()};
  for (const auto& [name, file] : json["files"].items())
    stored.bytes += file.value("bytes", std::uint64_t{0});
  if (stored_.contains(key)) remove(key);  // it is broken
  if (const std::uint64_t most = most_bytes(stored.owner); stored.bytes > most)
    throw Problem(
        413, "resources",
        fmt::format("the result has {} bytes, and this token may store {}", stored.bytes, most),
        {{}, "make it smaller, or request it synchronously"});
  make_room(stored.owner, stored.bytes);
  if (std::rename(work.c_str(), folder.c_str()) != 0) {
    // An existing folder has the same contents, unless it is broken.
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (std::rename(work.c_str(), folder.c_str()) != 0)
      throw Problem(507, "disk", "the result cannot be stored");
  }
  forget(key);
  add(key, std::move(stored));
  const ResultPtr result = result_from(key, folder, json);
  keep(result, looks_of(*result), on_disk);
  return result;
}

void ResultStore::forget(const std::string& key) {
  const auto found = known_.find(key);
  if (found == known_.end()) return;
  newest_.erase(found->second);
  known_.erase(found);
}

}  // namespace skde::service
