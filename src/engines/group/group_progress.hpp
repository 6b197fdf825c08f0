#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/report/first_failure.hpp"
#include "core/report/progress.hpp"

namespace skde {

/// One progress for several members that work on the same stage, each with its own count. All are
/// cancelled if one of them has failed.
class GroupProgress {
 public:
  GroupProgress(Progress& shown, const FirstFailure& failure, std::size_t members);

  /// The progress of one member, for its thread. Valid as long as this object.
  Progress& of(std::size_t member) { return members_[member]; }

 private:
  class Member final : public Progress {
   public:
    explicit Member(GroupProgress& group) : group_(group) {}
    void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
    void update(std::uint64_t done) override;
    bool cancelled() const override;

   private:
    friend class GroupProgress;
    GroupProgress& group_;
    std::uint64_t total_ = 0;
    double share_ = 0;  ///< of its work that is done
  };

  Progress& shown_;
  const FirstFailure& failure_;
  std::mutex showing_;
  bool begun_ = false;
  std::vector<Member> members_;
};

}  // namespace skde
