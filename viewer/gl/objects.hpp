#pragma once

#include <glad/gl.h>

#include <glm/glm.hpp>
#include <span>
#include <utility>

namespace skde::view::gl {

/// The name of an OpenGL object, deleted with this. Traits has `create(GLuint&)` and
/// `destroy(GLuint)`. Needs the context in which it was made to be current.
template <class Traits>
class Object {
 public:
  Object() { Traits::create(id_); }
  explicit Object(GLuint id) : id_(id) {}
  Object(Object&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Object() {
    if (id_ != 0) Traits::destroy(id_);
  }
  GLuint id() const { return id_; }

 private:
  GLuint id_ = 0;
};

struct BufferTraits {
  static void create(GLuint& id) { glCreateBuffers(1, &id); }
  static void destroy(GLuint id) { glDeleteBuffers(1, &id); }
};
/// Vertices, indices or shader storage.
class Buffer : public Object<BufferTraits> {
 public:
  template <class Value>
  void assign(std::span<const Value> values, GLenum usage = GL_DYNAMIC_DRAW) {
    glNamedBufferData(id(), static_cast<GLsizeiptr>(values.size_bytes()), values.data(), usage);
  }
  /// Uninitialised memory.
  void allocate(GLsizeiptr bytes) { glNamedBufferData(id(), bytes, nullptr, GL_DYNAMIC_COPY); }
  void bind_storage(GLuint binding) const {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, id());
  }
};

struct VertexArrayTraits {
  static void create(GLuint& id) { glCreateVertexArrays(1, &id); }
  static void destroy(GLuint id) { glDeleteVertexArrays(1, &id); }
};
class VertexArray : public Object<VertexArrayTraits> {
 public:
  /// Attribute `index`: `size` floats at `offset` of each vertex of `stride` bytes.
  void attribute(GLuint index, const Buffer& buffer, GLint size, GLsizei stride, GLuint offset) {
    glVertexArrayVertexBuffer(id(), index, buffer.id(), offset, stride);
    glEnableVertexArrayAttrib(id(), index);
    glVertexArrayAttribFormat(id(), index, size, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(id(), index, index);
  }
  void bind() const { glBindVertexArray(id()); }
};

/// A texture of one level.
class Texture {
 public:
  Texture() = default;
  static Texture one_dimensional(GLenum format, int width);
  static Texture two_dimensional(GLenum format, glm::ivec2 size);
  static Texture three_dimensional(GLenum format, glm::ivec3 size);
  Texture(Texture&& other) noexcept { swap(other); }
  Texture& operator=(Texture&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Texture() { glDeleteTextures(1, &id_); }

  GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }
  GLenum target() const { return target_; }
  glm::ivec3 size() const { return size_; }
  /// GL_LINEAR or GL_NEAREST; outside the texture its edge goes on.
  void filter(GLint filter) const;
  void bind(GLuint unit) const { glBindTextureUnit(unit, id_); }
  /// Where compute shaders read or write: GL_READ_ONLY, GL_WRITE_ONLY, GL_READ_WRITE.
  void bind_image(GLuint unit, GLenum access) const;

 private:
  Texture(GLenum target, GLenum format, glm::ivec3 size);
  void swap(Texture& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(target_, other.target_);
    std::swap(format_, other.format_);
    std::swap(size_, other.size_);
  }

  GLuint id_ = 0;
  GLenum target_ = 0, format_ = 0;
  glm::ivec3 size_{0};
};

struct FramebufferTraits {
  static void create(GLuint& id) { glCreateFramebuffers(1, &id); }
  static void destroy(GLuint id) { glDeleteFramebuffers(1, &id); }
};

/// A picture of 8-bit RGBA with depth that is drawn to and then shown or read.
class Framebuffer {
 public:
  explicit Framebuffer(glm::ivec2 size);

  /// Becomes the target of drawing, all of it.
  void bind() const;
  void clear(glm::vec4 color) const;
  glm::ivec2 size() const { return size_; }
  const Texture& color() const { return color_; }
  const Texture& depth() const { return depth_; }
  GLuint id() const { return framebuffer_.id(); }

 private:
  glm::ivec2 size_;
  Object<FramebufferTraits> framebuffer_;
  Texture color_, depth_;
};

struct QueryTraits {
  static void create(GLuint& id) { glCreateQueries(GL_TIME_ELAPSED, 1, &id); }
  static void destroy(GLuint id) { glDeleteQueries(1, &id); }
};

/// Time that the device spends on the commands between begin() and end().
class TimerQuery : public Object<QueryTraits> {
 public:
  void begin() const { glBeginQuery(GL_TIME_ELAPSED, id()); }
  void end() const { glEndQuery(GL_TIME_ELAPSED); }
  /// True where seconds() would not wait.
  bool ready() const;
  /// Waits for the commands.
  double seconds() const;
};

}  // namespace skde::view::gl
