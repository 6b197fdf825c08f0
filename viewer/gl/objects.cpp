#include "viewer/gl/objects.hpp"

#include "core/report/error.hpp"

namespace skde::view::gl {

Texture::Texture(GLenum target, GLenum format, glm::ivec3 size)
    : target_(target), format_(format), size_(size) {
  while (glGetError() != GL_NO_ERROR) continue;  // so that a later error is this texture's
  GLuint id = 0;
  glCreateTextures(target, 1, &id);
  object_ = Object<TextureTraits>(id);
  if (target == GL_TEXTURE_1D) glTextureStorage1D(id, 1, format, size.x);
  if (target == GL_TEXTURE_2D) glTextureStorage2D(id, 1, format, size.x, size.y);
  if (target == GL_TEXTURE_3D) glTextureStorage3D(id, 1, format, size.x, size.y, size.z);
  if (glGetError() != GL_NO_ERROR)
    throw Error(ErrorKind::resources, "not enough graphics memory for this picture or volume",
                {"dims", "use smaller `dims`"});
  filter(GL_LINEAR);
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
    glTextureParameteri(id, wrap, GL_CLAMP_TO_EDGE);
}

void Texture::filter(GLint filter) const {
  glTextureParameteri(id(), GL_TEXTURE_MIN_FILTER, filter);
  glTextureParameteri(id(), GL_TEXTURE_MAG_FILTER, filter);
}

void Texture::bind_image(GLuint unit, GLenum access) const {
  glBindImageTexture(unit, id(), 0, target_ == GL_TEXTURE_3D ? GL_TRUE : GL_FALSE, 0, access,
                     format_);
}

Framebuffer::Framebuffer(glm::ivec2 size)
    : size_(size), color_(GL_RGBA8, size), depth_(GL_DEPTH_COMPONENT32F, size) {
  depth_.filter(GL_NEAREST);
  glNamedFramebufferTexture(framebuffer_.id(), GL_COLOR_ATTACHMENT0, color_.id(), 0);
  glNamedFramebufferTexture(framebuffer_.id(), GL_DEPTH_ATTACHMENT, depth_.id(), 0);
}

void Framebuffer::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  glViewport(0, 0, size_.x, size_.y);
}

void Framebuffer::clear_depths() const {
  if (!std::exchange(has_depths_, false)) return;
  const float far = 1;
  glClearNamedFramebufferfv(framebuffer_.id(), GL_DEPTH, 0, &far);
}

namespace {

constexpr std::size_t kMostErrors = 100;

void GLAD_API_PTR collect(GLenum /*source*/, GLenum type, GLuint /*id*/, GLenum /*severity*/,
                          GLsizei length, const GLchar* message, const void* errors) {
  if (type != GL_DEBUG_TYPE_ERROR) return;
  auto& list = *static_cast<std::vector<std::string>*>(const_cast<void*>(errors));
  if (list.size() < kMostErrors) list.emplace_back(message, static_cast<std::size_t>(length));
}

}  // namespace

DebugOutput::DebugOutput() {
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(collect, &errors_);
}

DebugOutput::~DebugOutput() { glDebugMessageCallback(nullptr, nullptr); }

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
