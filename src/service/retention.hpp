#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>

#include "service/service_routes.hpp"

namespace skde::service {

/// Removes what nobody has used for long, and the oldest results above a quota.
class Retention {
 public:
  Retention(boost::asio::io_context& context, ServiceState& state, std::int64_t keep_milliseconds,
            std::uint64_t quota);
  void start();
  void stop() { timer_.cancel(); }
  /// Once, now.
  void sweep();

 private:
  void wait();

  boost::asio::steady_timer timer_;
  ServiceState& state_;
  std::int64_t keep_;
  std::uint64_t quota_;
};

}  // namespace skde::service
