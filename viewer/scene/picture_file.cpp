#include "viewer/scene/picture_file.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "pictures/png_stream.hpp"

namespace skde::view {
namespace {

struct Release {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, Release>;

using Pixel = std::array<std::uint8_t, 4>;

/// cairo keeps colours multiplied by their opacity, in a word of alpha, red, green and blue.
std::uint32_t pack(Pixel p) {
  const auto part = [&](int i) {
    return static_cast<std::uint32_t>((p[static_cast<std::size_t>(i)] * p[3] + 127) / 255);
  };
  return std::uint32_t{p[3]} << 24 | part(0) << 16 | part(1) << 8 | part(2);
}

Pixel unpack(std::uint32_t word, bool has_alpha) {
  const std::uint32_t alpha = has_alpha ? word >> 24 : 255;
  const auto part = [&](int shift) {
    const std::uint32_t value = word >> shift & 255;
    return static_cast<std::uint8_t>(
        alpha == 0 ? 0 : std::min<std::uint32_t>(255, (value * 255 + alpha / 2) / alpha));
  };
  return {part(16), part(8), part(0), static_cast<std::uint8_t>(alpha)};
}

/// The words of a row of an image surface.
std::uint32_t* row_of(cairo_surface_t* surface, int y) {
  unsigned char* const data = cairo_image_surface_get_data(surface);
  return reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) *
                                                     cairo_image_surface_get_stride(surface));
}

}  // namespace

Picture read_picture(const gl::Framebuffer& framebuffer) {
  const glm::ivec2 size = framebuffer.size();
  Picture picture{size.x, size.y, {}};
  picture.pixels.resize(static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(framebuffer.color().id(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                    static_cast<GLsizei>(picture.pixels.size() * sizeof(Pixel)),
                    picture.pixels.data());
  // OpenGL's rows begin at the bottom.
  for (int y = 0; y < size.y / 2; ++y)
    std::swap_ranges(picture.pixels.begin() + std::ptrdiff_t{y} * size.x,
                     picture.pixels.begin() + std::ptrdiff_t{y + 1} * size.x,
                     picture.pixels.end() - std::ptrdiff_t{y + 1} * size.x);
  return picture;
}

void write_picture(const Picture& picture, const std::string& path) {
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, picture.width, picture.height));
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
    throw Error(ErrorKind::resources,
                fmt::format("{}: a picture of {} x {} pixels does not fit into memory; use a "
                            "smaller --size",
                            path, picture.width, picture.height));
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) row_of(surface.get(), y)[x] = pack(picture.at(x, y));
  cairo_surface_mark_dirty(surface.get());
  write_png(surface.get(), path);
}

Picture load_picture(const std::string& path) {
  const Surface surface(cairo_image_surface_create_from_png(path.c_str()));
  if (const cairo_status_t status = cairo_surface_status(surface.get());
      status != CAIRO_STATUS_SUCCESS)
    throw Error(ErrorKind::input, fmt::format("{}: no PNG picture can be read: {}", path,
                                              cairo_status_to_string(status)));
  const cairo_format_t format = cairo_image_surface_get_format(surface.get());
  if (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24)
    throw Error(ErrorKind::input,
                fmt::format("{}: its pixels are not of 8 bits a channel; convert it", path));
  Picture picture{cairo_image_surface_get_width(surface.get()),
                  cairo_image_surface_get_height(surface.get()),
                  {}};
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      picture.pixels.push_back(unpack(row_of(surface.get(), y)[x], format == CAIRO_FORMAT_ARGB32));
  return picture;
}

}  // namespace skde::view
