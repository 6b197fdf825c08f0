#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "service/store/data_folder.hpp"

namespace skde::service {

/// The result of a run: files in a folder of their own, and values.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct StoredResult {
  std::string key, folder;
  nlohmann::ordered_json request;  ///< all that determines the result
  nlohmann::ordered_json files;    ///< {"volume": {"file", "type", "bytes", "sum"}}
  nlohmann::ordered_json values;   ///< {"summary": {...}}

  std::string path_of(const nlohmann::ordered_json& file) const;
  /// Returns the tag of an output, with its quotes, made from the check sum of its bytes. The tag
  /// is weak if an older version wrote no check sum.
  std::string etag_of(std::string_view output) const;
};
using ResultPtr = std::shared_ptr<const StoredResult>;

/// Results by the hash of all that determines them: cloud, options and version. A folder exists as
/// a whole or not at all, so that the folders serve as the table.
class ResultStore {
 public:
  explicit ResultStore(const DataFolder& folder) : folder_(folder) {}
  /// Returns null if there is none, its description is broken, or a file has another size.
  ResultPtr find(const std::string& key, const nlohmann::ordered_json& request);
  ResultPtr find(const std::string& key);
  /// Returns false until trust() is called, as the files may not be those that were written.
  bool trusts(const StoredResult& result) const;
  /// Reads all files, and returns their stamps for trust(). If a check sum is wrong or a file is
  /// missing, removes the result and returns an empty text. Runs on any thread. Throws Problem
  /// (503).
  static std::string check(const StoredResult& result);
  /// Records what check() returned; an empty text removes the result from the cache.
  void trust(const std::string& key, const std::string& looks);
  /// Returns a result that is still in the folder of its run, for immediate use.
  static ResultPtr in_work(const std::string& work, const std::string& key,
                           const nlohmann::ordered_json& json);
  /// Moves the folder of a run to its place. Throws Problem (507).
  ResultPtr adopt(const std::string& work, const std::string& key,
                  const nlohmann::ordered_json& json);
  void forget(const std::string& key);

 private:
  struct Known {
    std::string key;
    ResultPtr result;   ///< null if large: then it is read from the disk each time
    std::string looks;  ///< stamps of its files, when they were verified
  };
  void keep(const ResultPtr& result, std::string looks);

  const DataFolder& folder_;
  std::list<Known> newest_;  ///< newest first
  std::unordered_map<std::string, std::list<Known>::iterator> known_;
};

}  // namespace skde::service
