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

void RunTimer::begin() {
  seconds();  // frees the query used next, if the device has finished with it
  timed_ = !running_[next_];
  if (timed_) queries_[next_].begin();
}

void RunTimer::end() {
  if (timed_) queries_[next_].end();
  running_[next_] = true;
  next_ = 1 - next_;
}

double RunTimer::seconds() {
  // The older one first, so that the newest finished time remains.
  for (const std::size_t query : {next_, 1 - next_}) {
    if (!running_[query] || !queries_[query].ready()) continue;
    seconds_ = queries_[query].seconds();
    running_[query] = false;
  }
  return seconds_;
}

}  // namespace skde::view::gl
