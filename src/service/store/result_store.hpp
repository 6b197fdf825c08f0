#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "service/store/data_folder.hpp"

namespace skde::service {

/// What a run has left: files in a folder of their own, and values.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct StoredResult {
  std::string key, folder;
  nlohmann::ordered_json request;  ///< all that decided it
  nlohmann::ordered_json files;    ///< {"volume": {"file", "type", "bytes", "sum"}}
  nlohmann::ordered_json values;   ///< {"summary": {...}}

  std::string path_of(const nlohmann::ordered_json& file) const;
  /// Of an output, with its quotes: that of its bytes. Weak where an older version left no check
  /// sum.
  std::string etag_of(std::string_view output) const;
};
using ResultPtr = std::shared_ptr<const StoredResult>;

/// Results by the content of what they were made of: the same cloud, options and version. A folder
/// is there whole or not at all, so that the folders are the table.
class ResultStore {
 public:
  explicit ResultStore(const DataFolder& folder) : folder_(folder) {}
  /// Null where there is none, or its description is broken, or a file has another size.
  ResultPtr find(const std::string& key, const nlohmann::ordered_json& request);
  ResultPtr find(const std::string& key);
  /// False until trust(): its files may be others than those that were written.
  bool trusts(const StoredResult& result) const;
  /// Reads all files: how they looked meanwhile, for trust(); empty where a check sum is wrong, or
  /// one is not there, and the result is removed then. On any thread. Throws Problem (503).
  static std::string check(const StoredResult& result);
  /// What check() has given; nothing of it is known any more where that was empty.
  void trust(const std::string& key, const std::string& looks);
  /// What lies in the folder of a run that is not yet in its place, for who takes it at once.
  static ResultPtr in_work(const std::string& work, const std::string& key,
                           const nlohmann::ordered_json& json);
  /// Puts the folder of a run in its place. Throws Problem (507).
  ResultPtr adopt(const std::string& work, const std::string& key,
                  const nlohmann::ordered_json& json);
  void forget(const std::string& key);

 private:
  struct Known {
    std::string key;
    ResultPtr result;   ///< null where it is large, and read from the disk each time
    std::string looks;  ///< of its files, when they were known to be right
  };
  void keep(const ResultPtr& result, std::string looks);

  const DataFolder& folder_;
  std::list<Known> newest_;  ///< the newest first
  std::unordered_map<std::string, std::list<Known>::iterator> known_;
};

}  // namespace skde::service
