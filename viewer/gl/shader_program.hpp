#pragma once

#include <glad/gl.h>

#include <glm/glm.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace skde::view::gl {

/// A linked program of shaders that are files of shaders/. In a shader, `#include "name"` on a line
/// of its own stands for another file. Builds for debugging read the files anew at each reload();
/// others have them embedded.
class ShaderProgram {
 public:
  /// The stage of a file follows from its extension: .vert, .frag, .geom, .comp. Throws
  /// Error(resources) with the compiler's words where one does not compile or link.
  explicit ShaderProgram(std::initializer_list<std::string_view> files);
  ShaderProgram(const ShaderProgram&) = delete;
  ShaderProgram& operator=(const ShaderProgram&) = delete;
  ~ShaderProgram();

  void use() const { glUseProgram(id_); }
  GLuint id() const { return id_; }
  /// Compiles the files of all programs again. Throws as the constructor does; programs that do not
  /// compile stay as they were.
  static void reload_all();

  // Uniforms by name; a name that the compiler has removed as unused is no error.
  void set(const char* name, int value) const;
  void set(const char* name, float value) const;
  void set(const char* name, glm::vec2 value) const;
  void set(const char* name, glm::vec3 value) const;
  void set(const char* name, glm::vec4 value) const;
  void set(const char* name, glm::ivec2 value) const;
  void set(const char* name, glm::ivec3 value) const;
  void set(const char* name, const glm::mat4& value) const;

 private:
  /// All programs there are. Like the context, they belong to one thread.
  static std::vector<ShaderProgram*>& living();
  void reload();

  std::vector<std::string> files_;
  GLuint id_ = 0;
};

/// The text of a shader file with its includes in place. Throws Error(resources) where there is
/// none.
std::string shader_source(std::string_view file);

}  // namespace skde::view::gl
