#pragma once

#include <glad/gl.h>

#include <glm/glm.hpp>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.hpp"
#include "viewer/gl/objects.hpp"

namespace skde::view::gl {

/// A linked program of shaders from files of shaders/. In a shader, a line `#include "name"` is
/// replaced by another file. Debug builds read the files again at each reload(); other builds have
/// them embedded.
class ShaderProgram {
 public:
  /// The extension of a file determines its stage: .vert, .frag, .geom, .comp. Throws
  /// Error(resources) with the compiler's message if a file does not compile or link.
  explicit ShaderProgram(std::initializer_list<std::string_view> files);
  ShaderProgram(const ShaderProgram&) = delete;
  ShaderProgram& operator=(const ShaderProgram&) = delete;
  ~ShaderProgram();

  void use() const { glUseProgram(id_); }
  GLuint id() const { return id_; }
  /// Recompiles the files of all programs. Throws as the constructor does; programs that do not
  /// compile keep their previous state.
  static void reload_all();

  // Sets a uniform by name. It is no error if the compiler has removed an unused name.
  void set(const char* name, int value) const;
  void set(const char* name, float value) const;
  void set(const char* name, glm::vec2 value) const;
  void set(const char* name, glm::vec3 value) const;
  void set(const char* name, glm::vec4 value) const;
  void set(const char* name, glm::ivec2 value) const;
  void set(const char* name, glm::ivec3 value) const;
  void set(const char* name, const glm::mat4& value) const;

 private:
  /// All existing programs. Like the context, they belong to one thread.
  static std::vector<ShaderProgram*>& living();
  void reload();

  std::vector<std::string> files_;
  GLuint id_ = 0;
};

/// Runs the compute shader in use on so many items, in groups with these sides. `readers` are the
/// barriers of those that read what it writes.
void dispatch(glm::ivec3 items, glm::ivec3 group, GLbitfield readers);

/// Returns the text of a shader file with its includes expanded. Throws Error(resources) if there
/// is no such file.
std::string shader_source(std::string_view file);

/// A file that was embedded in the program at build time (see embed_files.py).
struct EmbeddedFile {
  std::string_view name;  ///< file name without folders: "raymarch.comp"
  std::span<const unsigned char> bytes;
};

/// Returns the embedded shaders and fonts.
std::span<const EmbeddedFile> embedded_files();

/// Copies and fills 8-bit pictures by a compute shader.
class PictureCopies {
 public:
  /// Copies the lower left `size` pixels of a picture to a place in another one.
  void copy(const Texture& from, const Texture& to, glm::ivec2 place, glm::ivec2 size) const;
  /// Fills a picture with a colour.
  void fill(const Texture& picture, glm::vec4 color) const;

 private:
  void run(const Texture& to, glm::ivec2 place, glm::ivec2 size, bool copies) const;

  ShaderProgram program_{"picture_copy.comp"};
};

/// Reads the picture from a framebuffer; waits for the card.
Picture read_picture(const Framebuffer& framebuffer);
/// Returns the picture whose opacities and colours give these two, of one size, on black and on
/// white.
Picture without_ground(const Picture& on_black, const Picture& on_white);

}  // namespace skde::view::gl
