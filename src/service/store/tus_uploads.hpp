#pragma once

#include <map>
#include <memory>
#include <string>

#include "service/answer/service_limits.hpp"
#include "service/store/cloud_shelf.hpp"
#include "service/store/database.hpp"

namespace skde::service {

/// A large file that is uploaded in pieces (tus 1.0.0).
struct TusUpload {
  std::string id, name, owner;
  std::string metadata;  ///< the header Upload-Metadata, as sent
  std::uint64_t length = 0;
  std::int64_t created = 0;
  bool busy = false;      ///< a piece is being received
  bool complete = false;  ///< it is becoming a cloud
};

/// The uploads that are not clouds yet. The offset of an upload is the size of its file, except
/// that its last byte does not count until it is a cloud: if the service ends or the disk is full
/// before that, the client sends it again.
class TusUploads {
 public:
  TusUploads(const DataFolder& folder, StorageThread& storage)
      : folder_(folder), storage_(storage) {}
  /// Reads the table, except uploads that are clouds already; called before connections are
  /// accepted.
  void load(Database& database, const CloudShelf& clouds);
  /// Returns when the last piece came, in milliseconds since 1970.
  std::int64_t used(const TusUpload& upload) const;
  /// Throws Problem (404).
  TusUpload& at(std::string_view id);
  /// Returns the bytes that need not be sent again; always less than the length.
  std::uint64_t offset_of(const TusUpload& upload) const;
  /// Expects the last piece again, as the upload could not be made a cloud.
  void reopen(const std::string& id);
  /// Removes an upload that has become a cloud in the table.
  void forget(const std::string& id) { uploads_.erase(id); }
  /// Lets the next piece come, if the upload still exists.
  void release(const std::string& id);
  /// Calls `done` once the table has the upload.
  void create(const TusUpload& upload, StorageThread::Done done);
  /// Removes an upload and its bytes. `id` is a copy, as the caller's text may be part of the
  /// upload.
  void remove(std::string id, StorageThread::Done done);
  const std::map<std::string, TusUpload, std::less<>>& all() const { return uploads_; }
  std::string path_of(const TusUpload& upload) const { return folder_.incoming(upload.id); }
  /// Returns the full length of all uploads of an owner.
  std::uint64_t bytes_of(std::string_view owner) const;

 private:
  const DataFolder& folder_;
  StorageThread& storage_;
  std::map<std::string, TusUpload, std::less<>> uploads_;
  /// Bytes of uploads not in the table yet, by owner.
  std::map<std::string, std::uint64_t, std::less<>> coming_;
};

/// A piece of an upload that is being appended to the file; its bytes stay if the connection
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
