#pragma once

#include <map>
#include <memory>
#include <string>

#include "service/cloud_shelf.hpp"
#include "service/service_limits.hpp"
#include "service/storage_thread.hpp"

namespace skde::service {

/// A large file that comes in pieces: tus 1.0.0.
struct TusUpload {
  std::string id, name, owner;
  std::uint64_t length = 0;
  std::int64_t created = 0;
  bool busy = false;      ///< a piece is coming
  bool complete = false;  ///< it is becoming a cloud
};

/// The uploads that are not clouds yet. What has come of one is what its file holds.
class TusUploads {
 public:
  TusUploads(const DataFolder& folder, StorageThread& storage)
      : folder_(folder), storage_(storage) {}
  void load(Database& database);
  /// Throws Problem (404).
  TusUpload& at(std::string_view id);
  std::uint64_t offset_of(const TusUpload& upload) const;
  /// The next piece may come, where the upload is still there.
  void release(const std::string& id);
  /// `done` once the table has it.
  void create(const TusUpload& upload, StorageThread::Done done);
  /// `id` is a copy, as callers may have it of what goes.
  void remove(std::string id, bool with_file, StorageThread::Done done);
  const std::map<std::string, TusUpload, std::less<>>& all() const { return uploads_; }
  std::string path_of(const TusUpload& upload) const { return folder_.incoming(upload.id); }

 private:
  const DataFolder& folder_;
  StorageThread& storage_;
  std::map<std::string, TusUpload, std::less<>> uploads_;
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
