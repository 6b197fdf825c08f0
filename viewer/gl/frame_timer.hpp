#pragma once

#include <array>
#include <optional>

#include "viewer/gl/objects.hpp"

namespace skde::view::gl {

struct TimestampTraits {
  static void create(GLuint& id) { glCreateQueries(GL_TIMESTAMP, 1, &id); }
  static void destroy(GLuint id) { glDeleteQueries(1, &id); }
};

/// How long pictures take, from the first command until the device has done the last one. Never
/// waits for the device, so that a time is known a picture later, or two.
class FrameTimer {
 public:
  /// Before the first command of a picture.
  void begin();
  /// Behind its last one. A picture without it goes untimed.
  void end();
  /// Of the newest picture that was done when begin() was called last; none where none was.
  std::optional<double> seconds() const { return seconds_; }

 private:
  struct Timed {
    GLint64 begin = 0;  ///< nanoseconds on the device's clock
    Object<TimestampTraits> end;
    bool unread = false;
  };
  void read(Timed& picture);

  GLint64 begin_ = 0;
  std::array<Timed, 2> pictures_;  ///< in turn
  std::size_t next_ = 0;
  std::optional<double> seconds_;
};

}  // namespace skde::view::gl
