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

#include "service/answer/http_message.hpp"
#include "service/store/data_folder.hpp"
#include "service/store/database.hpp"

namespace skde::service {

/// A point file, or a volume, that jobs may name.
struct Cloud {
  std::string id, name, suffix;
  std::string path;   ///< of its file
  bool owned = true;  ///< false: a file of the server, which stays in place
  std::uint64_t bytes = 0;
  /// Content address of the file and of those that its reader opens beside it. For a cloud of an
  /// older version, whose hash was not cryptographic, an identifier instead.
  std::string hash;
  std::string owner;
  std::int64_t created = 0, used = 0;
  std::string stamps{};    ///< of a file of the server, at registration; see file_stamps()
  std::string metadata{};  ///< header Upload-Metadata, if it came by tus

  nlohmann::ordered_json json() const;
};

class ByteClaim;

/// A file that is being uploaded.
class CloudUpload final : public BodySink {
 public:
  /// Begins a new file, or continues an existing one. Throws Problem (507).
  CloudUpload(std::string path, std::uint64_t begin, std::uint64_t most,
              std::shared_ptr<ByteClaim> claim = {});
  /// Removes the file unless keep() was called.
  ~CloudUpload() override;
  void write(const char* bytes, std::size_t count) override;
  void keep() { kept_ = true; }
  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  /// Returns the claim, to be held by the new owner of the file until it is a cloud.
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
  /// Reads the table; called before connections are accepted.
  void load(Database& database);
  /// Makes a complete file under incoming/ a cloud: it is hashed, synced and in the table before
  /// `added` is called. The same transaction removes the upload of this ID from the table. On
  /// failure, the file stays where it was.
  void add(const std::string& incoming, Cloud cloud, Added added);
  /// Adds a file of the server, by its path without links.
  void add_path(Cloud cloud, Added added);
  /// Opens a file of the server as it was registered; its links exist while the result is held.
  /// Throws Problem (409) if it has changed since, or is no longer allowed.
  ServerFilePtr open(const Cloud& cloud);
  /// Throws Problem (404).
  const Cloud& at(std::string_view id);
  /// Returns null if there is none.
  const Cloud* find(std::string_view id);
  /// Writes to the table when clouds were last used.
  void save_used();
  /// Calls `done` once the cloud is removed from the table and the disk; on failure, it still
  /// exists.
  void remove(std::string id, StorageThread::Done done);
  const std::map<std::string, Cloud, std::less<>>& all() const { return clouds_; }
  /// Returns the size of an owner's clouds, including uploads in progress.
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
  std::map<std::string, std::weak_ptr<const ServerFile>> opened_;  ///< by the ID of the cloud
  std::map<std::string, Cloud, std::less<>> clouds_;
  std::set<std::string> used_;  ///< IDs of clouds used since the table was written
  /// Bytes that are being uploaded, by owner; see ByteClaim.
  std::shared_ptr<std::map<std::string, std::uint64_t, std::less<>>> coming_ =
      std::make_shared<std::map<std::string, std::uint64_t, std::less<>>>();
  /// Threads that hash and sync files, which takes seconds if they are large: one an owner for
  /// small files, and four for large ones. So nobody waits for the files of others, and the table
  /// of jobs for none.
  std::map<std::string, boost::asio::thread_pool> files_;
};

/// Returns the extension that determines the format of a name, such as ".csv.gz"; empty if skde
/// does not know it. The name may be any text.
std::string known_suffix(std::string_view name);
/// Returns a name to display: the first 200 bytes of its last part. Replaces control characters and
/// invalid UTF-8.
std::string shown_name(std::string_view name);

/// Bytes that are being uploaded, by owner.
using ComingBytes = std::map<std::string, std::uint64_t, std::less<>>;

/// Bytes of an owner that are being uploaded. They count like those of clouds while this object
/// exists.
class ByteClaim {
 public:
  /// `left` returns how many more bytes this owner may have now.
  ByteClaim(std::shared_ptr<ComingBytes> coming, std::string owner,
            std::function<std::uint64_t()> left);
  ~ByteClaim();
  ByteClaim(const ByteClaim&) = delete;
  ByteClaim& operator=(const ByteClaim&) = delete;
  /// Throws Problem (413) if this is more than the owner may have.
  void grow_to(std::uint64_t bytes);

 private:
  std::shared_ptr<ComingBytes> coming_;  // shared, as connections may outlive the shelf
  std::string owner_;
  std::function<std::uint64_t()> left_;
  std::uint64_t bytes_ = 0;
};

}  // namespace skde::service
