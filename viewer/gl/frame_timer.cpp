#include "viewer/gl/frame_timer.hpp"

namespace skde::view::gl {

void FrameTimer::read(Timed& picture) {
  if (!picture.unread) return;
  GLint done = 0;
  glGetQueryObjectiv(picture.end.id(), GL_QUERY_RESULT_AVAILABLE, &done);
  if (done != GL_TRUE) return;
  GLint64 end = 0;
  glGetQueryObjecti64v(picture.end.id(), GL_QUERY_RESULT, &end);
  seconds_ = static_cast<double>(end - picture.begin) * 1e-9;
  picture.unread = false;
}

void FrameTimer::begin() {
  read(pictures_[next_]);  // the older frame
  read(pictures_[1 - next_]);
  glGetInteger64v(GL_TIMESTAMP, &begin_);
}

void FrameTimer::end() {
  Timed& picture = pictures_[next_];
  if (picture.unread) return;  // the device is two frames behind: this one is not timed
  picture.begin = begin_;
  glQueryCounter(picture.end.id(), GL_TIMESTAMP);
  picture.unread = true;
  next_ = 1 - next_;
}

}  // namespace skde::view::gl
