#include "service/jobs/job_events.hpp"

#include <fmt/core.h>

namespace skde::service {

JobEvents::JobEvents(JobPtr job, std::uint64_t last)
    : job_(std::move(job)), sent_(last > job_->revision ? 0 : last) {}

std::string JobEvents::next() {
  if (sent_ >= job_->revision) return "";
  const bool status = sent_ < job_->status_revision;
  sent_ = job_->revision;
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", sent_, status ? "status" : "progress",
                     *job_->status_text());
}

bool JobEvents::ended() const { return job_->ended() && sent_ >= job_->revision; }

void JobEvents::on_news(std::function<void()> wake) {
  wake_ = std::make_shared<std::function<void()>>(std::move(wake));
  job_->watchers.emplace_back(wake_);
}

}  // namespace skde::service
