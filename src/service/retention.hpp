#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>

#include "service/http/service_routes.hpp"
#include "service/store/served_time.hpp"

namespace skde::service {

/// Removes what has not been used for long, measured by the time that the service ran, and the
/// oldest results above a quota.
class Retention {
 public:
  Retention(boost::asio::io_context& context, ServiceState& state, std::int64_t keep_milliseconds);
  /// Reads when the service ran before; called before connections are accepted.
  void load(Database& database) { served_.load(database); }
  /// Removes nothing at the start, as the clock may not be set yet.
  void start();
  /// Records what was used, for the next service.
  void stop();

 private:
  void wait();
  void remember();
  void sweep();
  bool is_old(std::int64_t used) const { return served_.since(used) > keep_; }
  bool is_old(const Job& job) const;

  boost::asio::steady_timer timer_;
  ServiceState& state_;
  std::int64_t keep_;
  ServedTime served_;
};

}  // namespace skde::service
