#pragma once

#include <array>
#include <optional>

#include "viewer/gl/objects.hpp"

namespace skde::view::gl {

struct TimestampTraits {
  static void create(GLuint& id) { glCreateQueries(GL_TIMESTAMP, 1, &id); }
  static void destroy(GLuint id) { glDeleteQueries(1, &id); }
};

/// Measures how long frames take, from the first command until the device has finished the last
/// one. It never waits for the device, so a time is known one or two frames later.
class FrameTimer {
 public:
  /// Call before the first command of a frame.
  void begin();
  /// Call after the last command. A frame without this call is not timed.
  void end();
  /// Returns the time of the newest frame that had finished at the last begin(), if any.
  std::optional<double> seconds() const { return seconds_; }

 private:
  struct Timed {
    GLint64 begin = 0;  ///< nanoseconds on the device's clock
    Object<TimestampTraits> end;
    bool unread = false;
  };
  void read(Timed& picture);

  GLint64 begin_ = 0;
  std::array<Timed, 2> pictures_;  ///< used in turn
  std::size_t next_ = 0;
  std::optional<double> seconds_;
};

/// Measures the device's time for the commands of every run, without waiting for it.
class RunTimer {
 public:
  void begin();
  void end();
  /// Returns the time of the last run that the device has finished; 0 before the first.
  double seconds();

 private:
  std::array<TimerQuery, 2> queries_;  ///< used in turn
  std::array<bool, 2> running_{};
  std::size_t next_ = 0;
  bool timed_ = false;  ///< whether the present run is
  double seconds_ = 0;
};

}  // namespace skde::view::gl
