#include "service/result_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "service/http_problem.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKnown = 256;

ResultPtr result_from(const std::string& key, const std::string& folder, const Json& json) {
  auto result = std::make_shared<StoredResult>();
  result->key = key;
  result->folder = folder;
  result->request = json.value("request", Json::object());
  result->files = json.value("files", Json::object());
  result->values = json.value("values", Json::object());
  return result;
}

}  // namespace

std::string StoredResult::path_of(const Json& file) const {
  return folder + '/' + file["file"].get<std::string>();
}

std::string StoredResult::etag_of(std::string_view output) const {
  return fmt::format("\"{}-{}\"", key, output);
}

ResultPtr ResultStore::keep(ResultPtr result) {
  newest_.push_front(std::move(result));
  known_[newest_.front()->key] = newest_.begin();
  if (newest_.size() > kMostKnown) {
    known_.erase(newest_.back()->key);
    newest_.pop_back();
  }
  return newest_.front();
}

ResultPtr ResultStore::find(const std::string& key) {
  // The time of the folder tells when it was last of use.
  const std::string folder = folder_.result(key);
  if (utimensat(AT_FDCWD, folder.c_str(), nullptr, 0) != 0) {
    forget(key);
    return nullptr;
  }
  if (const auto found = known_.find(key); found != known_.end()) {
    newest_.splice(newest_.begin(), newest_, found->second);
    return newest_.front();
  }
  std::ifstream file(folder + "/result.json");
  std::ostringstream text;
  text << file.rdbuf();
  const Json json = Json::parse(text.str(), nullptr, false);
  if (json.is_discarded() || !json.is_object()) return nullptr;
  return keep(result_from(key, folder, json));
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
    // One that is there already holds the same, unless it is broken.
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (std::rename(work.c_str(), folder.c_str()) != 0)
      throw Problem(507, "disk", "the result cannot be put in place");
  }
  forget(key);
  return keep(result_from(key, folder, json));
}

void ResultStore::forget(const std::string& key) {
  const auto found = known_.find(key);
  if (found == known_.end()) return;
  newest_.erase(found->second);
  known_.erase(found);
}

}  // namespace skde::service
