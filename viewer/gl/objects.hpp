#pragma once

#include <glad/gl.h>

#include <array>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skde::view::gl {

/// Owns the name of an OpenGL object and deletes it in the destructor. Traits has `create(GLuint&)`
/// and `destroy(GLuint)`. The context in which it was created must be current.
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
/// A buffer of vertices, indices or shader storage.
class Buffer : public Object<BufferTraits> {
 public:
  template <class Value>
  void assign(std::span<const Value> values, GLenum usage = GL_DYNAMIC_DRAW) {
    glNamedBufferData(id(), static_cast<GLsizeiptr>(values.size_bytes()), values.data(), usage);
  }
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
  /// Sets attribute `index`: `size` floats at `offset` of each vertex of `stride` bytes.
  void attribute(GLuint index, const Buffer& buffer, GLint size, GLsizei stride, GLuint offset) {
    glVertexArrayVertexBuffer(id(), index, buffer.id(), offset, stride);
    glEnableVertexArrayAttrib(id(), index);
    glVertexArrayAttribFormat(id(), index, size, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(id(), index, index);
  }
  void bind() const { glBindVertexArray(id()); }
};

struct TextureTraits {
  static void create(GLuint&) {}  // which needs a target
  static void destroy(GLuint id) { glDeleteTextures(1, &id); }
};
/// A texture of one, two or three dimensions, with a single level.
class Texture {
 public:
  Texture() = default;
  Texture(GLenum format, int width) : Texture(GL_TEXTURE_1D, format, {width, 1, 1}) {}
  Texture(GLenum format, glm::ivec2 size) : Texture(GL_TEXTURE_2D, format, {size, 1}) {}
  Texture(GLenum format, glm::ivec3 size) : Texture(GL_TEXTURE_3D, format, size) {}

  GLuint id() const { return object_.id(); }
  explicit operator bool() const { return id() != 0; }
  GLenum target() const { return target_; }
  glm::ivec3 size() const { return size_; }
  /// Sets the filter, GL_LINEAR or GL_NEAREST; the edge continues outside the texture.
  void filter(GLint filter) const;
  void bind(GLuint unit) const { glBindTextureUnit(unit, id()); }
  /// Binds the texture for compute shaders to read or write; `access` is GL_READ_ONLY,
  /// GL_WRITE_ONLY or GL_READ_WRITE.
  void bind_image(GLuint unit, GLenum access) const;

 private:
  Texture(GLenum target, GLenum format, glm::ivec3 size);

  Object<TextureTraits> object_;
  GLenum target_ = 0, format_ = 0;
  glm::ivec3 size_{0};
};

struct FramebufferTraits {
  static void create(GLuint& id) { glCreateFramebuffers(1, &id); }
  static void destroy(GLuint id) { glDeleteFramebuffers(1, &id); }
};

/// An 8-bit RGBA picture with depth, which is drawn to and then shown or read.
class Framebuffer {
 public:
  explicit Framebuffer(glm::ivec2 size);

  /// Makes the whole framebuffer the drawing target.
  void bind() const;
  /// Clears the depths, unless nothing was drawn with depths since the last time.
  void clear_depths() const;
  /// Tells that something is drawn with depths.
  void draw_depths() const { has_depths_ = true; }
  glm::ivec2 size() const { return size_; }
  const Texture& color() const { return color_; }
  const Texture& depth() const { return depth_; }
  GLuint id() const { return framebuffer_.id(); }

 private:
  glm::ivec2 size_;
  Object<FramebufferTraits> framebuffer_;
  Texture color_, depth_;
  mutable bool has_depths_ = true;
};

/// Collects the driver's messages for the current context, if that is a debug context. Keeps
/// errors, at most a hundred of them.
class DebugOutput {
 public:
  DebugOutput();
  ~DebugOutput();
  DebugOutput(const DebugOutput&) = delete;
  DebugOutput& operator=(const DebugOutput&) = delete;

  const std::vector<std::string>& errors() const { return errors_; }

 private:
  std::vector<std::string> errors_;
};

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
