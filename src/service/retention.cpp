#include "service/retention.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace skde::service {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kSweepPause{30};

struct Kept {
  fs::path folder;
  std::int64_t used = 0;  ///< milliseconds
  std::uint64_t bytes = 0;
};

std::vector<Kept> kept_results(const std::string& results) {
  std::vector<Kept> all;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(results, ignored)) {
    struct stat about {};
    if (stat(entry.path().c_str(), &about) != 0) continue;
    Kept kept{entry.path(), about.st_mtim.tv_sec * 1000 + about.st_mtim.tv_nsec / 1000000, 0};
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path(), ignored)) {
      const std::uintmax_t bytes = file.file_size(ignored);
      if (!ignored) kept.bytes += bytes;
    }
    all.push_back(std::move(kept));
  }
  return all;
}

/// On the storage's thread: folders are removed whole, and nobody is told of one half gone.
void remove_results(const std::string& results, const std::string& trash, std::int64_t oldest,
                    std::uint64_t quota) {
  std::vector<Kept> all = kept_results(results);
  std::ranges::sort(all, {}, &Kept::used);
  std::uint64_t sum = 0;
  for (const Kept& kept : all) sum += kept.bytes;
  for (const Kept& kept : all) {
    if (kept.used >= oldest && sum <= quota) break;
    std::error_code ignored;
    fs::rename(kept.folder, trash, ignored);
    fs::remove_all(trash, ignored);
    sum -= kept.bytes;
  }
}

}  // namespace

Retention::Retention(boost::asio::io_context& context, ServiceState& state,
                     std::int64_t keep_milliseconds, std::uint64_t quota)
    : timer_(context), state_(state), keep_(keep_milliseconds), quota_(quota) {}

void Retention::start() {
  sweep();
  wait();
}

void Retention::wait() {
  timer_.expires_after(kSweepPause);
  timer_.async_wait([this](boost::system::error_code problem) {
    if (problem) return;
    sweep();
    wait();
  });
}

void Retention::sweep() {
  const std::int64_t oldest = now_milliseconds() - keep_;
  std::vector<JobPtr> jobs;
  for (const auto& [id, job] : state_.jobs.all())
    if (job->ended() && job->updated < oldest) jobs.push_back(job);
  for (const JobPtr& job : jobs) state_.jobs.dismiss(job, {});
  std::vector<std::string> clouds, uploads;
  for (const auto& [id, cloud] : state_.clouds.all())
    if (cloud.used < oldest) clouds.push_back(id);
  for (const auto& [id, upload] : state_.uploads.all())
    if (state_.uploads.used(upload) < oldest && !upload.busy && !upload.complete)
      uploads.push_back(id);
  for (const std::string& id : clouds)
    if (!state_.jobs.needs_cloud(id)) state_.clouds.remove(id, {});
  for (const std::string& id : uploads) state_.uploads.remove(id, {});
  const DataFolder& folder = state_.clouds.folder();
  state_.storage.post(
      [results = folder.results(), trash = folder.path() + "/work/trash", oldest,
       quota = quota_](Database&) { remove_results(results, trash, oldest, quota); });
}

}  // namespace skde::service
