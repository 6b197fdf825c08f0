#include "service/kept_sessions.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "estimate/memory_plan.hpp"

namespace skde::service {
namespace {

constexpr std::size_t kMostSessions = 16;

/// Files of the server may be written anew under the same name.
std::string stamp_of(const CloudFiles& files) {
  std::string stamp;
  for (const std::string& path : files.paths) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) continue;
    stamp += fmt::format("{}:{}.{} ", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
  }
  return stamp;
}

std::int64_t bytes_of(const Session& session) {
  const auto& cloud = session.cloud();
  if (!cloud) return 0;
  return static_cast<std::int64_t>(
      static_cast<double>(cloud->points.size()) *
      host_sample_bytes(cloud->points.weighted(), cloud->points.shaped()));
}

}  // namespace

Session& KeptSessions::session(const CloudFiles& files, bool in_memory, Progress& progress) {
  const std::string stamp = stamp_of(files);
  auto found = std::ranges::find(sessions_, files, &Kept::files);
  if (found != sessions_.end() && found->stamp != stamp) {
    sessions_.erase(found);
    found = sessions_.end();
  }
  if (found == sessions_.end()) {
    // What fits into memory beside the others is not known: they make room first.
    trim();
    sessions_.push_front({files, stamp, Session{options_}});
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
