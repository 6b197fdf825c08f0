#include "service/retention.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>

namespace skde::service {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kSweepPause{30000}, kLeastPause{1000};

/// Removes what was set aside long ago. The time of the move is that of the last change of the
/// inode.
void empty_aside(const std::string& aside, const std::function<bool(std::int64_t)>& is_old) {
  std::error_code ignored;
  for (const fs::directory_entry& part : fs::directory_iterator(aside, ignored))
    for (const fs::directory_entry& file : fs::directory_iterator(part.path(), ignored)) {
      struct stat about {};
      if (stat(file.path().c_str(), &about) == 0 && is_old(about.st_ctim.tv_sec * 1000))
        fs::remove(file.path(), ignored);
    }
}

std::int64_t steady_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Retention::Retention(boost::asio::io_context& context, ServiceState& state,
                     std::int64_t keep_milliseconds)
    : timer_(context), state_(state), keep_(keep_milliseconds) {}

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
  state_.storage.post([served = served_](Database& database) {
    served.save(database);
    database.shrink();
  });
}

/// A job is kept while its results are in use.
bool Retention::is_old(const Job& job) const {
  if (!is_old(job.updated)) return false;
  if (job.key.empty()) return true;
  const std::int64_t used = state_.results.used_at(job.key);
  return used == 0 || is_old(used);
}

void Retention::sweep() {
  std::vector<JobPtr> jobs;
  for (const auto& [id, job] : state_.jobs.table().all())
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
  state_.results.remove_if([&](std::int64_t used) { return is_old(used); });
  state_.storage.post(
      [aside = state_.clouds.folder().aside(), served = served_, keep = keep_](Database&) {
        empty_aside(aside, [&](std::int64_t used) { return served.since(used) > keep; });
      });
}

}  // namespace skde::service
