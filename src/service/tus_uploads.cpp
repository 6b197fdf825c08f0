#include "service/tus_uploads.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "service/http_problem.hpp"

namespace skde::service {

void TusUploads::load(Database& database) {
  Statement rows = database.prepare("SELECT id, name, length, owner, created FROM uploads");
  while (rows.step()) {
    TusUpload upload{rows.text(0), rows.text(1), rows.text(3),
                     static_cast<std::uint64_t>(rows.number(2)), rows.number(4)};
    uploads_[upload.id] = upload;
  }
}

TusUpload& TusUploads::at(std::string_view id) {
  const auto found = uploads_.find(id);
  if (found == uploads_.end()) throw not_found("upload", id);
  return found->second;
}

std::uint64_t TusUploads::offset_of(const TusUpload& upload) const {
  struct stat about {};
  return stat(path_of(upload).c_str(), &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

void TusUploads::create(const TusUpload& upload, StorageThread::Done done) {
  storage_.post(
      [upload](Database& database) {
        database
            .prepare(
                "INSERT INTO uploads (id, name, length, owner, created) VALUES (?, ?, ?, ?, ?)")
            .bind(1, upload.id)
            .bind(2, upload.name)
            .bind(3, static_cast<std::int64_t>(upload.length))
            .bind(4, upload.owner)
            .bind(5, upload.created)
            .run();
      },
      [this, upload, done = std::move(done)](const std::exception_ptr& failure) {
        if (!failure) uploads_[upload.id] = upload;
        done(failure);
      });
}

void TusUploads::remove(std::string id, bool with_file, StorageThread::Done done) {
  const std::string path = folder_.incoming(id);
  uploads_.erase(id);
  storage_.post(
      [id = std::move(id), path, with_file](Database& database) {
        database.prepare("DELETE FROM uploads WHERE id = ?").bind(1, id).run();
        if (with_file) unlink(path.c_str());
      },
      std::move(done));
}

void TusUploads::release(const std::string& id) {
  if (const auto found = uploads_.find(id); found != uploads_.end()) found->second.busy = false;
}

TusPiece::TusPiece(TusUploads& uploads, const std::string& id, std::uint64_t offset)
    : uploads_(uploads),
      id_(id),
      file_(uploads.path_of(uploads.at(id)), offset, uploads.at(id).length) {
  file_.keep();
  uploads.at(id).busy = true;
}

TusPiece::~TusPiece() { uploads_.release(id_); }

}  // namespace skde::service
