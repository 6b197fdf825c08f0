#include "viewer/gl/shader_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <glm/gtc/type_ptr.hpp>
#include <iterator>
#include <sstream>
#include <utility>

#include "core/report/error.hpp"

namespace skde::view::gl {
namespace {

std::string file_text(std::string_view file) {
#ifdef SKDE_SHADER_FOLDER
  std::ifstream stream(fmt::format("{}/{}", SKDE_SHADER_FOLDER, file));
  if (stream) return {std::istreambuf_iterator<char>(stream), {}};
#endif
  for (const EmbeddedFile& embedded : embedded_files())
    if (embedded.name == file) return {embedded.bytes.begin(), embedded.bytes.end()};
  throw Error(ErrorKind::resources, fmt::format("this build lacks the shader '{}'", file),
              {{}, "install skde-view again"});
}

GLenum stage_of(std::string_view file) {
  if (file.ends_with(".vert")) return GL_VERTEX_SHADER;
  if (file.ends_with(".frag")) return GL_FRAGMENT_SHADER;
  if (file.ends_with(".geom")) return GL_GEOMETRY_SHADER;
  if (file.ends_with(".comp")) return GL_COMPUTE_SHADER;
  throw Error(ErrorKind::resources,
              fmt::format("the extension of shader '{}' is not that of a stage", file),
              {{}, "use .vert, .frag, .geom or .comp"});
}

/// A compiled stage, deleted in the destructor.
struct Shader {
  GLuint id;

  explicit Shader(const std::string& file) : id(glCreateShader(stage_of(file))) {
    const std::string source = shader_source(file);
    const char* const text = source.c_str();
    glShaderSource(id, 1, &text, nullptr);
    glCompileShader(id);
    GLint compiled = 0;
    glGetShaderiv(id, GL_COMPILE_STATUS, &compiled);
    if (compiled == GL_TRUE) return;
    std::string log(4096, '\0');
    GLsizei length = 0;
    glGetShaderInfoLog(id, static_cast<GLsizei>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    glDeleteShader(id);
    throw Error(ErrorKind::resources, fmt::format("shader {} does not compile: {}", file, log),
                {{}, "install another version of the graphics driver"});
  }
  Shader(Shader&& other) noexcept : id(std::exchange(other.id, 0)) {}
  Shader& operator=(Shader&&) = delete;
  ~Shader() { glDeleteShader(id); }
};

GLuint link(const std::vector<std::string>& files) {
  std::vector<Shader> shaders;
  shaders.reserve(files.size());
  for (const std::string& file : files) shaders.emplace_back(file);
  const GLuint program = glCreateProgram();
  for (const Shader& shader : shaders) glAttachShader(program, shader.id);
  glLinkProgram(program);
  for (const Shader& shader : shaders) glDetachShader(program, shader.id);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (linked == GL_TRUE) return program;
  std::string log(4096, '\0');
  GLsizei length = 0;
  glGetProgramInfoLog(program, static_cast<GLsizei>(log.size()), &length, log.data());
  log.resize(static_cast<std::size_t>(length));
  glDeleteProgram(program);
  throw Error(ErrorKind::resources, fmt::format("shader {} does not link: {}", files.front(), log),
              {{}, "install another version of the graphics driver"});
}

}  // namespace

std::string shader_source(std::string_view file) {
  constexpr std::string_view kInclude = "#include \"";
  std::istringstream lines(file_text(file));
  std::string source, line;
  while (std::getline(lines, line)) {
    if (line.starts_with(kInclude)) {
      const std::size_t end = line.find('"', kInclude.size());
      source += shader_source(line.substr(kInclude.size(), end - kInclude.size()));
    } else {
      source += line + '\n';
    }
  }
  return source;
}

std::vector<ShaderProgram*>& ShaderProgram::living() {
  static std::vector<ShaderProgram*> programs;
  return programs;
}

ShaderProgram::ShaderProgram(std::initializer_list<std::string_view> files)
    : files_(files.begin(), files.end()), id_(link(files_)) {
  living().push_back(this);
}

ShaderProgram::~ShaderProgram() {
  std::erase(living(), this);
  glDeleteProgram(id_);
}

void ShaderProgram::reload() {
  const GLuint fresh = link(files_);
  glDeleteProgram(std::exchange(id_, fresh));
}

void ShaderProgram::reload_all() {
  for (ShaderProgram* const program : living()) program->reload();
}

void ShaderProgram::set(const char* name, int value) const {
  glProgramUniform1i(id_, glGetUniformLocation(id_, name), value);
}
void ShaderProgram::set(const char* name, float value) const {
  glProgramUniform1f(id_, glGetUniformLocation(id_, name), value);
}
void ShaderProgram::set(const char* name, glm::vec2 value) const {
  glProgramUniform2fv(id_, glGetUniformLocation(id_, name), 1, glm::value_ptr(value));
}
void ShaderProgram::set(const char* name, glm::vec3 value) const {
  glProgramUniform3fv(id_, glGetUniformLocation(id_, name), 1, glm::value_ptr(value));
}
void ShaderProgram::set(const char* name, glm::vec4 value) const {
  glProgramUniform4fv(id_, glGetUniformLocation(id_, name), 1, glm::value_ptr(value));
}
void ShaderProgram::set(const char* name, glm::ivec2 value) const {
  glProgramUniform2iv(id_, glGetUniformLocation(id_, name), 1, glm::value_ptr(value));
}
void ShaderProgram::set(const char* name, glm::ivec3 value) const {
  glProgramUniform3iv(id_, glGetUniformLocation(id_, name), 1, glm::value_ptr(value));
}
void ShaderProgram::set(const char* name, const glm::mat4& value) const {
  glProgramUniformMatrix4fv(id_, glGetUniformLocation(id_, name), 1, GL_FALSE,
                            glm::value_ptr(value));
}

void dispatch(glm::ivec3 items, glm::ivec3 group, GLbitfield readers) {
  const glm::uvec3 groups((items + group - 1) / group);
  glDispatchCompute(groups.x, groups.y, groups.z);
  glMemoryBarrier(readers);
}

void PictureCopies::copy(const Texture& from, const Texture& to, glm::ivec2 place,
                         glm::ivec2 size) const {
  from.bind(0);
  run(to, place, size, true);
}

void PictureCopies::fill(const Texture& picture, glm::vec4 color) const {
  program_.set("color", color);
  run(picture, {0, 0}, picture.size(), false);
}

void PictureCopies::run(const Texture& to, glm::ivec2 place, glm::ivec2 size, bool copies) const {
  constexpr int kGroupSide = 16;  // must match the shader
  program_.set("place", place);
  program_.set("size", size);
  program_.set("copies", copies ? 1 : 0);
  program_.use();
  to.bind_image(0, GL_WRITE_ONLY);
  dispatch({size, 1}, glm::ivec3(kGroupSide),
           GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT |
               GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
}

Picture read_picture(const Framebuffer& framebuffer) {
  const glm::ivec2 size = framebuffer.size();
  Picture picture{size.x, size.y, {}};
  picture.pixels.resize(static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(framebuffer.color().id(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                    static_cast<GLsizei>(sizeof(picture.pixels[0]) * picture.pixels.size()),
                    picture.pixels.data());
  // OpenGL stores the bottom row first.
  for (int y = 0; y < size.y / 2; ++y)
    std::swap_ranges(picture.pixels.begin() + std::ptrdiff_t{y} * size.x,
                     picture.pixels.begin() + std::ptrdiff_t{y + 1} * size.x,
                     picture.pixels.end() - std::ptrdiff_t{y + 1} * size.x);
  return picture;
}

Picture without_ground(const Picture& on_black, const Picture& on_white) {
  Picture picture = on_black;
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    auto& pixel = picture.pixels[i];
    int through = 0;  // of the ground, in 255ths
    for (std::size_t c = 0; c < 3; ++c)
      through = std::max(through, on_white.pixels[i][c] - on_black.pixels[i][c]);
    const int opacity = 255 - std::clamp(through, 0, 255);
    for (std::size_t c = 0; c < 3; ++c)
      pixel[c] = static_cast<std::uint8_t>(
          opacity > 0 ? std::min(255, (pixel[c] * 255 + opacity / 2) / opacity) : 0);
    pixel[3] = static_cast<std::uint8_t>(opacity);
  }
  return picture;
}

}  // namespace skde::view::gl
