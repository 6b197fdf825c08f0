#include "service/store/cloud_shelf.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/formats/point_formats.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_formats.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

constexpr std::size_t kLongestName = 200;

[[noreturn]] void disk_problem() {
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
    throw Problem(507, "disk", "the disk of the service is full");
  throw Problem(507, "disk", "the disk of the service cannot be written to");
}

/// File systems count time in steps of a few milliseconds: of two changes within one step, the
/// stamp shows only the first.
constexpr std::chrono::milliseconds kClockTick{20};

/// Throws Problem (409) if the file keeps being written to.
void wait_for_next_tick(const std::string& path, const std::string& name) {
  constexpr int kMostTicks = 50;
  for (int tick = 0; tick < kMostTicks; ++tick) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) return;
    const std::int64_t changed = about.st_ctim.tv_sec * 1000 + about.st_ctim.tv_nsec / 1000000;
    const std::int64_t since = now_milliseconds() - changed;
    if (since < 0 || since >= kClockTick.count()) return;
    std::this_thread::sleep_for(kClockTick);
  }
  throw Problem(409, "input", fmt::format("{}: is being written", name),
                {{}, "send its path when it is complete"});
}

/// Returns the files that a reader of this one opens beside it. Throws Problem (422), which shows
/// `name` instead of the path.
std::vector<std::string> files_beside(const std::string& path, const std::string& name) {
  try {
    return io::files_beside(path);
  } catch (const Error& error) {
    std::string text = error.problem();
    if (const std::size_t at = text.find(path); at != text.npos)
      text.replace(at, path.size(), name);
    throw Problem(422, "input", text, error.advice());
  }
}

/// Returns the names of these files, whether they exist or not; none if the file cannot be read.
std::vector<std::string> names_beside(const std::string& path) {
  std::vector<std::string> names;
  try {
    for (const std::string& beside : io::files_beside(path, io::Presence::unknown))
      names.push_back(std::filesystem::path(beside).filename().string());
  } catch (const Error&) {  // reported by whatever reads the file later
  }
  return names;
}

/// Records the size and the hash of a file of the server, and the stamps of it and of the files
/// beside it; throws Problem (409) if one changes meanwhile. `path` leads to the open file.
void register_bytes(Cloud& cloud, const std::string& path) {
  const std::vector<std::string> beside = files_beside(path, cloud.name);
  wait_for_next_tick(path, cloud.name);
  for (const std::string& other : beside) wait_for_next_tick(other, cloud.name);
  cloud.stamps = file_stamps(path, beside);
  std::error_code missing;
  cloud.bytes = std::filesystem::file_size(path, missing);
  cloud.hash = content_name_of_file(path);
  std::string all = cloud.hash;
  for (const std::string& other : beside)
    if (std::filesystem::exists(other)) all += ' ' + content_name_of_file(other);
  if (all != cloud.hash) cloud.hash = content_name(all);
  const bool same = files_beside(path, cloud.name) == beside;
  require_stamps(path, same ? cloud.stamps : "", cloud.name);
}

/// Replaces the hash of 32 digits of older versions, for which collisions could be forged. The new
/// one is made from the ID of the cloud and, for a file of the server, its stamp.
void rename_old_hash(Cloud& cloud) {
  constexpr std::size_t kDigits = 64;
  if (cloud.hash.size() == kDigits) return;
  try {
    if (!cloud.owned) cloud.stamps = file_stamps(cloud.path, files_beside(cloud.path, cloud.name));
  } catch (const Problem&) {  // the file has changed
    cloud.stamps = "unknown";
  }
  cloud.hash = content_name(cloud.id + ' ' + cloud.stamps);
}

}  // namespace

nlohmann::ordered_json Cloud::json() const {
  return {{"id", id},
          {"name", name},
          {"bytes", bytes},
          {"created", time_text(created)},
          {"links",
           {{{"href", "/clouds/" + id}, {"rel", "self"}, {"type", "application/json"}},
            {{"href", "/clouds/" + id + "/content"}, {"rel", "enclosure"}}}}};
}

std::string shown_name(std::string_view name) {
  name = name.substr(name.find_last_of("/\\") + 1);
  std::string shown;
  while (!name.empty()) {
    const std::size_t bytes = utf8_length(name);
    const auto byte = static_cast<unsigned char>(name.front());
    std::string_view next = bytes == 0 ? "\uFFFD" : name.substr(0, bytes);
    if (byte < 0x20 || byte == 0x7f || byte == ':') next = "_";
    if (shown.size() + next.size() > kLongestName) break;
    shown += next;
    name.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown.find_first_not_of('.') == shown.npos ? "cloud" : shown;
}

std::string known_suffix(std::string_view name) {
  std::string rest = lower_case(name.substr(name.find_last_of("/\\") + 1)), packed;
  for (const std::string_view packing : {".gz", ".bz2", ".xz", ".zst"})
    if (rest.ends_with(packing)) {
      packed = packing;
      rest.resize(rest.size() - packing.size());
      break;
    }
  const std::size_t dot = rest.rfind('.');
  const std::string extension = dot == rest.npos ? "" : rest.substr(dot);
  if (extension.empty()) return packed;
  const auto among = [](std::string_view all, const std::string& one) {
    return (' ' + std::string(all) + ' ').find(' ' + one + ' ') != std::string::npos;
  };
  for (const io::PointFormat& format : io::point_formats())
    if (among(format.extensions, extension)) return extension + packed;
  for (const io::VolumeFormat& format : io::volume_formats())
    if (among(format.extension, extension + packed)) return extension + packed;
  return packed;
}

CloudUpload::CloudUpload(std::string path, std::uint64_t begin, std::uint64_t most,
                         std::shared_ptr<ByteClaim> claim)
    : path_(std::move(path)),
      claim_(std::move(claim)),
      file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)),
      size_(begin),
      most_(most) {
  if (file_ < 0) disk_problem();
  // Overwrites bytes beyond the offset last reported.
  if (ftruncate(file_, static_cast<off_t>(begin)) != 0) disk_problem();
}

CloudUpload::~CloudUpload() {
  if (file_ >= 0) close(file_);
  if (!kept_) unlink(path_.c_str());
}

void CloudUpload::write(const char* bytes, std::size_t count) {
  if (size_ + count > most_)
    throw Problem(413, "limit", fmt::format("an upload must have at most {} bytes", most_));
  if (claim_) claim_->grow_to(size_ + count);
  while (count > 0) {
    const ssize_t done = pwrite(file_, bytes, count, static_cast<off_t>(size_));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) disk_problem();
    bytes += done;
    count -= static_cast<std::size_t>(done);
    size_ += static_cast<std::uint64_t>(done);
  }
}

void CloudShelf::load(Database& database) {
  Statement rows = database.prepare(
      "SELECT id, name, suffix, path, bytes, hash, owner, created, used, stamps, metadata"
      " FROM clouds");
  while (rows.step()) {
    Cloud cloud{rows.text(0), rows.text(1), rows.text(2), rows.text(3),   true,
                {},           rows.text(5), rows.text(6), rows.number(7), rows.number(8),
                rows.text(9), rows.text(10)};
    cloud.name = shown_name(cloud.name);  // older versions accepted any bytes
    cloud.owned = cloud.path.empty();
    if (cloud.owned) cloud.path = folder_.cloud(cloud.id, cloud.suffix);
    cloud.bytes = static_cast<std::uint64_t>(rows.number(4));
    if (cloud.owned) find_file(cloud);
    rename_old_hash(cloud);
    clouds_[cloud.id] = std::move(cloud);
  }
}

/// Finds a file that was set aside when the service started with another table, or that is still
/// among the uploads because the disk did not confirm the table.
void CloudShelf::find_file(const Cloud& cloud) const {
  if (move_file(folder_.aside("clouds", cloud.id + cloud.suffix), cloud.path)) return;
  const std::string incoming = folder_.incoming(cloud.id);
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(incoming, missing);
  if (!missing && bytes == cloud.bytes) move_file(incoming, cloud.path);
}

void CloudShelf::insert(const std::shared_ptr<Cloud>& cloud, const std::string& incoming,
                        std::function<void()> prepare, Added added) {
  constexpr std::uint64_t kLarge = std::uint64_t{16} << 20;
  constexpr std::size_t kLargeAtOnce = 4;
  const bool is_large = cloud->bytes > kLarge;
  const std::string lane = (is_large ? "large " : "small ") + cloud->owner;
  run_aside(files_.try_emplace(lane, is_large ? kLargeAtOnce : 1).first->second, context_,
            std::move(prepare),
            [this, cloud, incoming, added = std::move(added)](const std::exception_ptr& failure) {
              if (failure) return added(failure, *cloud);
              insert_row(cloud, incoming, added);
            });
}

/// The same transaction removes the upload, so that nothing is ever both an upload and a cloud.
void CloudShelf::insert_row(const std::shared_ptr<Cloud>& cloud, const std::string& incoming,
                            Added added) {
  const auto work = [cloud](Database& database) {
    database.run("DELETE FROM uploads WHERE id = ?", cloud->id);
    database.run(
        "INSERT INTO clouds (id, name, suffix, path, bytes, hash, owner, created, used,"
        " stamps, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        cloud->id, cloud->name, cloud->suffix, cloud->owned ? std::string() : cloud->path,
        cloud->bytes, cloud->hash, cloud->owner, cloud->created, cloud->used, cloud->stamps,
        cloud->metadata);
  };
  storage_.post(
      work, [this, cloud, incoming, added = std::move(added)](const std::exception_ptr& failure) {
        if (!failure)
          clouds_[cloud->id] = *cloud;
        else if (cloud->owned)
          move_file(cloud->path, incoming);
        added(failure, *cloud);
      });
}

void CloudShelf::add(const std::string& incoming, Cloud cloud, Added added) {
  cloud.path = folder_.cloud(cloud.id, cloud.suffix);
  cloud.created = cloud.used = now_milliseconds();
  const auto shared = std::make_shared<Cloud>(std::move(cloud));
  const std::string clouds = folder_.path() + "/clouds";
  insert(
      shared, incoming,
      [shared, incoming, clouds] {
        shared->hash = content_name_of_file(incoming);
        sync_path(incoming);
        if (!move_file(incoming, shared->path)) disk_problem();
        try {
          sync_path(clouds);
        } catch (...) {
          move_file(shared->path, incoming);
          throw;
        }
      },
      std::move(added));
}

void CloudShelf::add_path(Cloud cloud, Added added) {
  cloud.owned = false;
  std::error_code unknown;
  cloud.bytes = std::filesystem::file_size(cloud.path, unknown);
  if (unknown) cloud.bytes = 0;
  cloud.created = cloud.used = now_milliseconds();
  const auto shared = std::make_shared<Cloud>(std::move(cloud));
  const auto open_and_read = [this, shared, place = folder_.server_file(shared->id + ".new")] {
    const ServerFilePtr file = allowed_.open(shared->path, names_beside, place);
    // The answer does not reveal whether a forbidden file exists.
    if (!file)
      throw Problem(403, "usage", "this is not a file in a folder that the service may read",
                    {"path", "add folders with `allow_path` when the service is started"});
    register_bytes(*shared, file->path());
  };
  insert(shared, {}, open_and_read, std::move(added));
}

ServerFilePtr CloudShelf::open(const Cloud& cloud) {
  std::weak_ptr<const ServerFile>& kept = opened_[cloud.id];
  const ServerFilePtr before = kept.lock();
  const ServerFilePtr now = allowed_.open(
      cloud.path, [&](const std::string&) { return names_in(cloud.stamps); },
      folder_.server_file(cloud.id + (before ? ".next" : "")));
  if (!now)
    throw Problem(
        409, "input",
        fmt::format("{}: changed after it was registered, or the service may no longer read it",
                    cloud.name),
        {{}, "send its path to /clouds again"});
  require_stamps(now->path(), cloud.stamps, cloud.name);
  if (before) return before;
  kept = now;
  return now;
}

const Cloud& CloudShelf::at(std::string_view id) {
  const Cloud* const cloud = find(id);
  if (!cloud) throw not_found("cloud", id);
  return *cloud;
}

const Cloud* CloudShelf::find(std::string_view id) {
  const auto found = clouds_.find(id);
  if (found == clouds_.end()) return nullptr;
  Cloud& cloud = found->second;
  cloud.used = std::max(cloud.used, now_milliseconds());  // even if the clock was set back
  used_.insert(cloud.id);
  return &cloud;
}

void CloudShelf::save_used() {
  std::vector<std::pair<std::string, std::int64_t>> times;
  for (const std::string& id : std::exchange(used_, {}))
    if (const auto found = clouds_.find(id); found != clouds_.end())
      times.emplace_back(id, found->second.used);
  if (times.empty()) return;
  storage_.post([times = std::move(times)](Database& database) {
    for (const auto& [id, used] : times)
      database.run("UPDATE clouds SET used = ? WHERE id = ?", used, id);
  });
}

void CloudShelf::remove(std::string id, StorageThread::Done done) {
  const Cloud cloud = at(id);
  clouds_.erase(id);
  opened_.erase(id);
  storage_.remove("DELETE FROM clouds WHERE id = ?", id, cloud.owned ? cloud.path : "",
                  [this, cloud, done = std::move(done)](const std::exception_ptr& failure) {
                    if (failure) clouds_[cloud.id] = cloud;
                    if (done) done(failure);
                  });
}

std::uint64_t CloudShelf::bytes_of(std::string_view owner) const {
  std::uint64_t sum = 0;
  for (const auto& [id, cloud] : clouds_)
    if (cloud.owned && cloud.owner == owner) sum += cloud.bytes;
  const auto coming = coming_->find(owner);
  return coming == coming_->end() ? sum : sum + coming->second;
}

std::shared_ptr<ByteClaim> CloudShelf::claim(std::string owner,
                                             std::function<std::uint64_t()> left) {
  return std::make_shared<ByteClaim>(coming_, std::move(owner), std::move(left));
}

ByteClaim::ByteClaim(std::shared_ptr<ComingBytes> coming, std::string owner,
                     std::function<std::uint64_t()> left)
    : coming_(std::move(coming)), owner_(std::move(owner)), left_(std::move(left)) {
  coming_->try_emplace(owner_, 0);
}

ByteClaim::~ByteClaim() { coming_->find(owner_)->second -= bytes_; }

void ByteClaim::grow_to(std::uint64_t bytes) {
  if (bytes <= bytes_) return;
  const std::uint64_t more = bytes - bytes_, left = left_();
  if (more > left)
    throw Problem(413, "limit",
                  fmt::format("the limit is {} bytes; send a smaller file", bytes_ + left));
  coming_->find(owner_)->second += more;
  bytes_ = bytes;
}

}  // namespace skde::service
