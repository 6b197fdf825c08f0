#include "service/store/result_store.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/json_object.hpp"
#include "service/http/http_problem.hpp"
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

void ResultStore::keep(const ResultPtr& result, std::string looks) {
  std::size_t left = kMostValues;
  const bool small = is_small(result->request, left) && is_small(result->values, left);
  newest_.push_front({result->key, small ? result : nullptr, std::move(looks)});
  known_[result->key] = newest_.begin();
  if (newest_.size() > kMostKnown) {
    known_.erase(newest_.back().key);
    newest_.pop_back();
  }
}

ResultPtr ResultStore::find(const std::string& key) {
  // The time of the folder records when it was last used.
  const std::string folder = folder_.result(key);
  if (utimensat(AT_FDCWD, folder.c_str(), nullptr, 0) != 0) {
    forget(key);
    return nullptr;
  }
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
  if (found == known_.end()) keep(result, {});
  return result;
}

bool ResultStore::trusts(const StoredResult& result) const {
  const auto known = known_.find(result.key);
  return known != known_.end() && known->second->looks == looks_of(result);
}

std::string ResultStore::check(const StoredResult& result) {
  const std::string looks = looks_of(result);
  if (has_sums(result)) return looks;
  std::error_code ignored;
  std::filesystem::remove_all(result.folder, ignored);
  return "";
}

void ResultStore::trust(const std::string& key, const std::string& looks) {
  if (looks.empty()) return forget(key);
  if (const auto known = known_.find(key); known != known_.end()) known->second->looks = looks;
}

ResultPtr ResultStore::find(const std::string& key, const Json& request) {
  ResultPtr result = find(key);
  return result && result->request == request ? result : nullptr;
}

ResultPtr ResultStore::in_work(const std::string& work, const std::string& key, const Json& json) {
  return result_from(key, work, json);
}

ResultPtr ResultStore::adopt(const std::string& work, const std::string& key, const Json& json) {
  const std::string folder = folder_.result(key);
  if (std::rename(work.c_str(), folder.c_str()) != 0) {
    // An existing folder has the same contents, unless it is broken.
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (std::rename(work.c_str(), folder.c_str()) != 0)
      throw Problem(507, "disk", "the result cannot be stored");
  }
  forget(key);
  const ResultPtr result = result_from(key, folder, json);
  keep(result, looks_of(*result));
  return result;
}

void ResultStore::forget(const std::string& key) {
  const auto found = known_.find(key);
  if (found == known_.end()) return;
  newest_.erase(found->second);
  known_.erase(found);
}

}  // namespace skde::service
