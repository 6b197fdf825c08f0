#include "pictures/png_stream.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <exception>

#include "core/error.hpp"
#include "io/output_file.hpp"

namespace skde {
namespace {

/// Carries exceptions past cairo, which is C.
struct PngSink {
  io::OutputFile& file;
  std::exception_ptr failure;

  static cairo_status_t write(void* closure, const unsigned char* bytes, unsigned int count) {
    auto& sink = *static_cast<PngSink*>(closure);
    try {
      sink.file.write(bytes, count);
      return CAIRO_STATUS_SUCCESS;
    } catch (...) {
      sink.failure = std::current_exception();
      return CAIRO_STATUS_WRITE_ERROR;
    }
  }
};

}  // namespace

void write_png(_cairo_surface* surface, const std::string& path) {
  io::OutputFile file(path);
  PngSink sink{file, nullptr};
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface, &PngSink::write, &sink);
  if (sink.failure) std::rethrow_exception(sink.failure);
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(ErrorKind::output, fmt::format("{}: the picture cannot be written: {}", path,
                                               cairo_status_to_string(status)));
  file.commit();
}

}  // namespace skde
