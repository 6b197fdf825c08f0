#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "service/http/http_message.hpp"
#include "service/store/allowed_folders.hpp"
#include "service/store/data_folder.hpp"
#include "service/store/storage_thread.hpp"

namespace skde::service {

/// A file of points, or a volume, that jobs may name.
struct Cloud {
  std::string id, name, suffix;
  std::string path;   ///< of its file
  bool owned = true;  ///< false: a file of the server, that stays where it is
  std::uint64_t bytes = 0;
  /// Which bytes it holds: their content address, of the files that its reader opens beside it as
  /// well. Of an older version's cloud, whose hash was no cryptographic one, what tells it apart.
  std::string hash;
  std::string owner;
  std::int64_t created = 0, used = 0;
  std::string stamps{};    ///< of a file of the server, when it was registered; see file_stamps()
  std::string metadata{};  ///< Upload-Metadata of one that came by tus

  nlohmann::ordered_json json() const;
};

class ByteClaim;

/// A file on its way in.
class CloudUpload final : public BodySink {
 public:
  /// A new file, or the end of one that is there. Throws Problem (507).
  CloudUpload(std::string path, std::uint64_t begin, std::uint64_t most,
              std::shared_ptr<ByteClaim> claim = {});
  /// Removes the file unless keep() was called.
  ~CloudUpload() override;
  void write(const char* bytes, std::size_t count) override;
  void keep() { kept_ = true; }
  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  /// For whoever keeps the file, until it is a cloud.
  std::shared_ptr<ByteClaim> claim() const { return claim_; }

 private:
  std::string path_;
  std::shared_ptr<ByteClaim> claim_;
  int file_ = -1;
  bool kept_ = false;
  std::uint64_t size_ = 0, most_ = 0;
};

/// The clouds of the service.
class CloudShelf {
 public:
  using Added = std::function<void(std::exception_ptr, const Cloud&)>;

  CloudShelf(boost::asio::io_context& context, const DataFolder& folder,
             const AllowedFolders& allowed, StorageThread& storage)
      : context_(context), folder_(folder), allowed_(allowed), storage_(storage) {}
  /// What the table holds; before connections are taken.
  void load(Database& database);
  /// A complete file under incoming/ becomes a cloud: hashed, synced and in the table before
  /// `added`; what the table knew as an upload of this ID is none any more, in the same
  /// transaction. Where that fails, the file lies where it lay.
  void add(const std::string& incoming, Cloud cloud, Added added);
  /// A file of the server, by its path without links.
  void add_path(Cloud cloud, Added added);
  /// One that is none of the service's own, as it was registered; its links stay as long as
  /// somebody holds it. Throws Problem (409) where it has changed since, or is no longer allowed.
  ServerFilePtr open(const Cloud& cloud);
  /// Throws Problem (404).
  const Cloud& at(std::string_view id);
  /// Null where there is none.
  const Cloud* find(std::string_view id);
  /// Writes into the table when clouds were used last.
  void save_used();
  /// `done` once the table and the disk have forgotten it; where that fails, it is still there.
  void remove(std::string id, StorageThread::Done done);
  const std::map<std::string, Cloud, std::less<>>& all() const { return clouds_; }
  /// Of clouds, and of those on their way here.
  std::uint64_t bytes_of(std::string_view owner) const;
  std::shared_ptr<ByteClaim> claim(std::string owner, std::function<std::uint64_t()> left);
  const DataFolder& folder() const { return folder_; }

 private:
  void insert(const std::shared_ptr<Cloud>& cloud, const std::string& incoming,
              std::function<void()> prepare, Added added);
  void insert_row(const std::shared_ptr<Cloud>& cloud, const std::string& incoming, Added added);
  void find_file(const Cloud& cloud) const;

  boost::asio::io_context& context_;
  const DataFolder& folder_;
  const AllowedFolders& allowed_;
  StorageThread& storage_;
  std::map<std::string, std::weak_ptr<const ServerFile>> opened_;  ///< by the cloud's ID
  std::map<std::string, Cloud, std::less<>> clouds_;
  std::set<std::string> used_;  ///< IDs of those whose time is newer than the table's
  /// Bytes that are on their way in, by their owner: see ByteClaim.
  std::shared_ptr<std::map<std::string, std::uint64_t, std::less<>>> coming_ =
      std::make_shared<std::map<std::string, std::uint64_t, std::less<>>>();
  /// Large files take seconds to be synced, which the table of jobs does not wait for.
  boost::asio::thread_pool files_{1};
};

/// The extension by which formats are told, of a name that may be anything: ".csv.gz"; empty where
/// it has none that skde knows.
std::string known_suffix(std::string_view name);
/// A name to show: the first 200 bytes of its last part, as UTF-8 and without control characters.
/// What is neither is replaced.
std::string shown_name(std::string_view name);

}  // namespace skde::service
