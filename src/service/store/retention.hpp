#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>

#include "service/http/service_routes.hpp"
#include "service/jobs/served_time.hpp"

namespace skde::service {

/// Removes what nobody has used for long, of the time that the service ran, and the oldest results
/// above a quota.
class Retention {
 public:
  Retention(boost::asio::io_context& context, ServiceState& state, std::int64_t keep_milliseconds,
            std::uint64_t quota);
  /// When the service ran before; before connections are taken.
  void load(Database& database) { served_.load(database); }
  /// Nothing is removed at the start: a clock may not be set yet.
  void start();
  /// Writes down what was used, for the next service.
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
  std::uint64_t quota_;
  ServedTime served_;
};

}  // namespace skde::service
