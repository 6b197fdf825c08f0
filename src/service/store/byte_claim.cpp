#include "service/store/byte_claim.hpp"

#include <fmt/core.h>

#include <utility>

#include "service/answer/http_problem.hpp"

namespace skde::service {

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
