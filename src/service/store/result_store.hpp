#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "service/store/access_tokens.hpp"
#include "service/store/data_folder.hpp"
#include "service/store/database.hpp"

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
  /// `quota`: most bytes of all results; each owner of a token has an equal share of them.
  ResultStore(const DataFolder& folder, StorageThread& storage, const AccessTokens& tokens,
              std::uint64_t quota)
      : folder_(folder), storage_(storage), tokens_(tokens), quota_(quota) {}
  /// Finds the results of earlier services; called before connections are accepted.
  void load();
  /// Returns the largest size that a result of this owner may have: what is free, or can be taken
  /// from those who have more than their share.
  std::uint64_t most_bytes(std::string_view owner) const;
  /// Removes the results that were last used at such times, and the oldest ones above the quota.
  void remove_if(const std::function<bool(std::int64_t used)>& is_old);
  /// Returns when a result was last used, in milliseconds since 1970; 0 if it does not exist.
  std::int64_t used_at(const std::string& key) const;
  /// Returns null if there is none, its description is broken, or a file has another size.
  ResultPtr find(const std::string& key, const nlohmann::ordered_json& request);
  ResultPtr find(const std::string& key);
  /// Returns false until trust() is called, as the files may not be those that were written or, if
  /// `on_disk` matters, a power cut could still remove them.
  bool trusts(const StoredResult& result, bool on_disk = false) const;
  /// Reads all files, syncs them, and returns their stamps for trust(). If a check sum is wrong or
  /// a file is missing, removes the result and returns an empty text. Runs on any thread. Throws
  /// Problem (503).
  static std::string check(const StoredResult& result);
  /// Records what check() returned; an empty text removes the result from the cache.
  void trust(const std::string& key, const std::string& looks);
  /// Returns a result that is still in the folder of its run, for immediate use.
  static ResultPtr in_work(const std::string& work, const std::string& key,
                           const nlohmann::ordered_json& json);
  /// Moves the folder of a run to its place, and removes the oldest results of those who have more
  /// than their share if there is no room. `on_disk`: its files have been synced. Throws Problem
  /// (413, 507).
  ResultPtr adopt(const std::string& work, const std::string& key,
                  const nlohmann::ordered_json& json, bool on_disk);

 private:
  /// A result on the disk.
  struct Stored {
    std::string owner;
    std::uint64_t bytes = 0;
    std::int64_t used = 0;
  };

  void add(const std::string& key, Stored stored);
  void drop(const std::string& key);
  std::uint64_t share_of(std::string_view owner) const;
  void make_room(const std::string& owner, std::uint64_t bytes);
  void remove(const std::string& key);
  void forget(const std::string& key);
  struct Known {
    std::string key;
    ResultPtr result;   ///< null if large: then it is read from the disk each time
    std::string looks;  ///< stamps of its files, when they were verified
    bool on_disk = false;
  };
  void keep(const ResultPtr& result, std::string looks, bool on_disk);

  const DataFolder& folder_;
  StorageThread& storage_;
  const AccessTokens& tokens_;
  const std::uint64_t quota_;
  std::map<std::string, Stored> stored_;                    ///< by key
  std::map<std::string, std::uint64_t, std::less<>> held_;  ///< bytes by owner
  std::uint64_t removed_ = 0;                               ///< counts the names in the trash
  std::list<Known> newest_;                                 ///< newest first
  std::unordered_map<std::string, std::list<Known>::iterator> known_;
};

}  // namespace skde::service
