#include "viewer/gl/device_timer.hpp"

#include <utility>

namespace skde::view::gl {

void DeviceTimer::begin() {
  read();  // frees the queries used next, if the device has finished with them
  is_timed_ = !timed_[next_].unread;
  if (is_timed_) glQueryCounter(timed_[next_].begin.id(), GL_TIMESTAMP);
}

void DeviceTimer::end() {
  if (!std::exchange(is_timed_, false)) return;
  glQueryCounter(timed_[next_].end.id(), GL_TIMESTAMP);
  timed_[next_].unread = true;
  next_ = 1 - next_;
}

void DeviceTimer::read() {
  // The older one first, so that the newest finished time remains.
  for (const std::size_t i : {next_, 1 - next_}) {
    Timed& timed = timed_[i];
    GLint done = GL_FALSE;
    if (timed.unread) glGetQueryObjectiv(timed.end.id(), GL_QUERY_RESULT_AVAILABLE, &done);
    if (done != GL_TRUE) continue;
    GLuint64 begin = 0, end = 0;  // nanoseconds on the device's clock
    glGetQueryObjectui64v(timed.begin.id(), GL_QUERY_RESULT, &begin);
    glGetQueryObjectui64v(timed.end.id(), GL_QUERY_RESULT, &end);
    seconds_ = static_cast<double>(end - begin) * 1e-9;
    timed.unread = false;
  }
}

}  // namespace skde::view::gl
