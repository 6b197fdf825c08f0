#pragma once

#include <array>

#include "viewer/gl/objects.hpp"

namespace skde::view::gl {

struct TimestampTraits {
  static void create(GLuint& id) { glCreateQueries(GL_TIMESTAMP, 1, &id); }
  static void destroy(GLuint id) { glDeleteQueries(1, &id); }
};

/// Measures how long the device takes for the commands between begin() and end(). It never waits
/// for the device, so a time is known one or two measurements later.
class DeviceTimer {
 public:
  void begin();
  /// A measurement without this call does not count.
  void end();
  /// Reads the measurements that the device has finished, as begin() does.
  void read();
  /// Returns the time, in seconds, of the newest one that was read; 0 before the first.
  double seconds() const { return seconds_; }

 private:
  struct Timed {
    Object<TimestampTraits> begin, end;
    bool unread = false;
  };

  std::array<Timed, 2> timed_;  ///< used in turn
  std::size_t next_ = 0;
  bool is_timed_ = false;  ///< whether the present commands are
  double seconds_ = 0;
};

}  // namespace skde::view::gl
