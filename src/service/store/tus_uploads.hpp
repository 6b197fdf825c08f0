#pragma once

#include <map>
#include <memory>
#include <string>

#include "service/service_limits.hpp"
#include "service/store/cloud_shelf.hpp"
#include "service/store/storage_thread.hpp"

namespace skde::service {

/// A large file that comes in pieces: tus 1.0.0.
struct TusUpload {
  std::string id, name, owner;
  std::string metadata;  ///< the header Upload-Metadata, as it came
  std::uint64_t length = 0;
  std::int64_t created = 0;
  bool busy = false;      ///< a piece is coming
  bool complete = false;  ///< it is becoming a cloud
};

/// The uploads that are not clouds yet. What has come of one is what its file holds, but for its
/// last byte: that counts once it is a cloud, so that a client sends it again where the service
/// ends, or the disk is full, before that.
class TusUploads {
 public:
  TusUploads(const DataFolder& folder, StorageThread& storage)
      : folder_(folder), storage_(storage) {}
  /// What the table holds, but for what is a cloud already; before connections are taken.
  void load(Database& database, const CloudShelf& clouds);
  /// Milliseconds since 1970 when a piece came last.
  std::int64_t used(const TusUpload& upload) const;
  /// Throws Problem (404).
  TusUpload& at(std::string_view id);
  /// Bytes that need not be sent again; always less than its length.
  std::uint64_t offset_of(const TusUpload& upload) const;
  /// It has not become a cloud: its last piece is awaited again.
  void reopen(const std::string& id);
  /// It has become a cloud, and the table knows.
  void forget(const std::string& id) { uploads_.erase(id); }
  /// The next piece may come, where the upload is still there.
  void release(const std::string& id);
  /// `done` once the table has it.
  void create(const TusUpload& upload, StorageThread::Done done);
  /// With what has come of it. `id` is a copy, as callers may have it of what goes.
  void remove(std::string id, StorageThread::Done done);
  const std::map<std::string, TusUpload, std::less<>>& all() const { return uploads_; }
  std::string path_of(const TusUpload& upload) const { return folder_.incoming(upload.id); }
  /// That all uploads of an owner will have.
  std::uint64_t bytes_of(std::string_view owner) const;

 private:
  const DataFolder& folder_;
  StorageThread& storage_;
  std::map<std::string, TusUpload, std::less<>> uploads_;
  /// Of uploads on their way to the table, by their owner.
  std::map<std::string, std::uint64_t, std::less<>> coming_;
};

/// A piece of an upload on its way to the file's end; what has come stays where the connection
/// breaks.
class TusPiece final : public BodySink {
 public:
  TusPiece(TusUploads& uploads, const std::string& id, std::uint64_t offset);
  ~TusPiece() override;
  void write(const char* bytes, std::size_t count) override { file_.write(bytes, count); }
  std::uint64_t size() const { return file_.size(); }

 private:
  TusUploads& uploads_;
  std::string id_;
  CloudUpload file_;
};

}  // namespace skde::service
