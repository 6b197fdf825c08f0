#include "service/worker/kept_sessions.hpp"

#include <algorithm>

#include "estimate/read/cloud.hpp"
#include "estimate/values/memory_plan.hpp"
#include "service/store/content_hash.hpp"
#include "system/host_memory.hpp"

namespace skde::service {
namespace {

constexpr std::size_t kMostSessions = 16;

std::int64_t bytes_of(const Session& session) {
  const auto& cloud = session.cloud();
  if (!cloud) return 0;
  return static_cast<std::int64_t>(
      static_cast<double>(cloud->points.size()) *
      host_sample_bytes(cloud->points.weighted(), cloud->points.shaped()));
}

}  // namespace

/// The stamp includes the contents, as a file may be rewritten under the same name with its old
/// time.
std::string KeptSessions::stamp_of(const CloudFiles& files) const {
  std::string stamp;
  for (const std::string& path : files.paths) {
    if (const auto content = contents_.find(path); content != contents_.end())
      stamp += content->second + ' ';
    stamp += file_stamp(path) + ' ';
  }
  return stamp;
}

Session& KeptSessions::session(const CloudFiles& files, bool in_memory, Progress& progress) {
  const std::string stamp = stamp_of(files);
  const auto found = std::ranges::find_if(sessions_, [&](const Kept& kept) {
    return kept.stamp == stamp && kept.predicts == predicts_ && kept.files == files;
  });
  if (found == sessions_.end()) {
    // It is unknown what will fit into memory beside the others, so they make room first.
    trim();
    SessionOptions options = options_;
    if (predicts_) options.memory_limit = total_memory();
    sessions_.push_front({files, stamp, predicts_, Session{options}});
    sessions_.front().files.open = {};  // the session closes its own after a run
    sessions_.front().session.open_in_parts(files);
  } else {
    sessions_.splice(sessions_.begin(), sessions_, found);
  }
  Session& session = sessions_.front().session;
  if (in_memory && !session.cloud()) session.open(files, progress);
  return session;
}

void KeptSessions::trim() {
  while (!sessions_.empty() && (sessions_.size() > kMostSessions || bytes() > most_bytes_))
    sessions_.pop_back();
}

void KeptSessions::forget_newest() {
  if (!sessions_.empty()) sessions_.pop_front();
}

std::int64_t KeptSessions::bytes() const {
  std::int64_t sum = 0;
  for (const Kept& kept : sessions_) sum += bytes_of(kept.session);
  return sum;
}

}  // namespace skde::service
