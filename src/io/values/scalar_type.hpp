#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace skde::io {

/// The types that a binary column can have.
enum class ScalarType { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

std::size_t size_of(ScalarType type);
/// Returns the type by its name in VTK's XML files ("Float32"); empty for other names.
std::optional<ScalarType> vtk_type(std::string_view name);

/// Converts `count` values to doubles. The first is at `from`, each next one `stride` bytes
/// further; they are written to to[0], to[to_step], to[2 to_step] and so on.
using ColumnConverter = void (*)(const char* from, std::size_t stride, std::size_t count,
                                 double* to, std::size_t to_step);

ColumnConverter column_converter(ScalarType type, bool big_endian);

/// Returns the little-endian integer in `count` bytes from `offset` on.
inline std::uint64_t little_endian(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

}  // namespace skde::io
