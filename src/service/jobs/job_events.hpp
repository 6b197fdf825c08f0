#pragma once

#include <memory>
#include <string_view>

#include "service/jobs/job_board.hpp"

namespace skde::service {

/// The server-sent events of a job: of the changes not sent yet, only the latest.
class JobEvents final : public EventFeed {
 public:
  /// `last` is the ID of the last event that the client has received; 0: none.
  JobEvents(JobPtr job, std::uint64_t last);
  std::string next() override;
  bool ended() const override;
  void on_news(std::function<void()> wake) override;

 private:
  JobPtr job_;
  std::uint64_t sent_;
  std::shared_ptr<std::function<void()>> wake_;
};

}  // namespace skde::service
