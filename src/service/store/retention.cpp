#include "service/store/retention.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>

namespace skde::service {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kSweepPause{30000}, kLeastPause{1000};

struct Kept {
  fs::path folder;
  std::int64_t used = 0;  ///< in milliseconds
  std::uint64_t bytes = 0;
};

/// Returns when a result was last used, in milliseconds since 1970; 0 if it does not exist.
std::int64_t used_at(const std::string& folder) {
  struct stat about {};
  if (stat(folder.c_str(), &about) != 0) return 0;
  return about.st_mtim.tv_sec * 1000 + about.st_mtim.tv_nsec / 1000000;
}

std::vector<Kept> kept_results(const std::string& results) {
  std::vector<Kept> all;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(results, ignored)) {
    Kept kept{entry.path(), used_at(entry.path().string()), 0};
    if (kept.used == 0) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path(), ignored)) {
      const std::uintmax_t bytes = file.file_size(ignored);
      if (!ignored) kept.bytes += bytes;
    }
    all.push_back(std::move(kept));
  }
  return all;
}

/// Runs on the storage thread. Folders are removed whole, so that nobody sees half of one.
void remove_results(const std::string& results, const std::string& trash, std::uint64_t quota,
                    const std::function<bool(std::int64_t)>& is_old) {
  std::vector<Kept> all = kept_results(results);
  std::ranges::sort(all, {}, &Kept::used);
  std::uint64_t sum = 0;
  for (const Kept& kept : all) sum += kept.bytes;
  for (const Kept& kept : all) {
    if (sum <= quota && !is_old(kept.used)) continue;
    std::error_code ignored;
    fs::rename(kept.folder, trash, ignored);
    fs::remove_all(trash, ignored);
    sum -= kept.bytes;
  }
}

std::int64_t steady_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Retention::Retention(boost::asio::io_context& context, ServiceState& state,
                     std::int64_t keep_milliseconds, std::uint64_t quota)
    : timer_(context), state_(state), keep_(keep_milliseconds), quota_(quota) {}

void Retention::start() {
  remember();
  wait();
}

void Retention::stop() {
  timer_.cancel();
  remember();
}

void Retention::wait() {
  // Looks more often if data are kept only for seconds.
  timer_.expires_after(std::clamp(std::chrono::milliseconds(keep_ / 2), kLeastPause, kSweepPause));
  timer_.async_wait([this](boost::system::error_code problem) {
    if (problem) return;
    remember();
    sweep();
    wait();
  });
}

void Retention::remember() {
  served_.run(now_milliseconds(), steady_milliseconds());
  served_.forget_before(keep_);
  state_.clouds.save_used();
  state_.storage.post([served = served_](Database& database) { served.save(database); });
}

/// A job is kept while its results are in use.
bool Retention::is_old(const Job& job) const {
  if (!is_old(job.updated)) return false;
  if (job.key.empty()) return true;
  const std::int64_t used = used_at(state_.clouds.folder().result(job.key));
  return used == 0 || is_old(used);
}

void Retention::sweep() {
  std::vector<JobPtr> jobs;
  for (const auto& [id, job] : state_.jobs.all())
    if (job->ended() && is_old(*job)) jobs.push_back(job);
  for (const JobPtr& job : jobs) state_.jobs.dismiss(job, {});
  std::vector<std::string> clouds, uploads;
  for (const auto& [id, cloud] : state_.clouds.all())
    if (is_old(cloud.used) && !state_.jobs.needs_cloud(id)) clouds.push_back(id);
  for (const auto& [id, upload] : state_.uploads.all())
    if (!upload.busy && !upload.complete && is_old(state_.uploads.used(upload)))
      uploads.push_back(id);
  for (const std::string& id : clouds) state_.clouds.remove(id, {});
  for (const std::string& id : uploads) state_.uploads.remove(id, {});
  const DataFolder& folder = state_.clouds.folder();
  state_.storage.post([results = folder.results(), trash = folder.trash(), quota = quota_,
                       served = served_, keep = keep_](Database&) {
    remove_results(results, trash, quota,
                   [&](std::int64_t used) { return served.since(used) > keep; });
  });
}

}  // namespace skde::service
