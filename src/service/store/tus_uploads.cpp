#include "service/store/tus_uploads.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "service/answer/http_message.hpp"

namespace skde::service {

void TusUploads::load(Database& database, const CloudShelf& clouds) {
  Statement rows =
      database.prepare("SELECT id, name, length, owner, created, metadata FROM uploads");
  while (rows.step()) {
    TusUpload upload{rows.text(0),
                     rows.text(1),
                     rows.text(3),
                     rows.text(5),
                     static_cast<std::uint64_t>(rows.number(2)),
                     rows.number(4)};
    if (!clouds.all().contains(upload.id)) uploads_[upload.id] = upload;
  }
  // An upload becomes a cloud in one transaction, but a table from another source may list both.
  database.run("DELETE FROM uploads WHERE id IN (SELECT id FROM clouds)");
  // If the service ended before the upload became a cloud, the file goes back to where its pieces
  // are written.
  for (const auto& [id, upload] : uploads_) {
    const std::string suffix = known_suffix(upload.name), path = path_of(upload);
    if (!move_file(folder_.cloud(id, suffix), path) &&
        !move_file(folder_.aside("incoming", id), path))
      move_file(folder_.aside("clouds", id + suffix), path);
  }
}

std::int64_t TusUploads::used(const TusUpload& upload) const {
  struct stat about {};
  if (stat(path_of(upload).c_str(), &about) != 0) return upload.created;
  const std::int64_t written = about.st_mtim.tv_sec * 1000 + about.st_mtim.tv_nsec / 1000000;
  return std::max(upload.created, written);
}

TusUpload& TusUploads::at(std::string_view id) {
  const auto found = uploads_.find(id);
  if (found == uploads_.end()) throw not_found("upload", id);
  return found->second;
}

std::uint64_t TusUploads::offset_of(const TusUpload& upload) const {
  const std::uint64_t most = upload.length > 0 ? upload.length - 1 : 0;
  if (upload.complete) return most;
  struct stat about {};
  if (stat(path_of(upload).c_str(), &about) != 0) return 0;
  return std::min(most, static_cast<std::uint64_t>(about.st_size));
}

std::uint64_t TusUploads::bytes_of(std::string_view owner) const {
  const auto coming = coming_.find(owner);
  std::uint64_t sum = coming == coming_.end() ? 0 : coming->second;
  for (const auto& [id, upload] : uploads_)
    if (upload.owner == owner) sum += upload.length;
  return sum;
}

void TusUploads::create(const TusUpload& upload, StorageThread::Done done) {
  storage_.post(
      [upload](Database& database) {
        database.run(
            "INSERT INTO uploads (id, name, length, owner, created, metadata)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            upload.id, upload.name, upload.length, upload.owner, upload.created, upload.metadata);
      },
      [this, upload, done = std::move(done)](const std::exception_ptr& failure) {
        coming_[upload.owner] -= upload.length;
        if (!failure) uploads_[upload.id] = upload;
        done(failure);
      });
  coming_[upload.owner] += upload.length;
}

void TusUploads::remove(std::string id, StorageThread::Done done) {
  const TusUpload upload = at(id);
  uploads_.erase(id);
  storage_.remove("DELETE FROM uploads WHERE id = ?", id, path_of(upload),
                  [this, upload, done = std::move(done)](const std::exception_ptr& failure) {
                    if (failure) uploads_.emplace(upload.id, upload);
                    if (done) done(failure);
                  });
}

void TusUploads::release(const std::string& id) {
  if (const auto found = uploads_.find(id); found != uploads_.end()) found->second.busy = false;
}

void TusUploads::reopen(const std::string& id) {
  if (const auto found = uploads_.find(id); found != uploads_.end()) found->second.complete = false;
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
