# Writes the files of a folder as a source: cmake -D FOLDER=web -D OUTPUT=embedded_files.cpp -P embed_bundle.cmake
cmake_minimum_required(VERSION 3.25)

set(arrays "")
set(rows "")
set(index 0)
if(FOLDER AND EXISTS "${FOLDER}")
  file(GLOB_RECURSE names RELATIVE "${FOLDER}" "${FOLDER}/*")
  foreach(name IN LISTS names)
    file(READ "${FOLDER}/${name}" bytes HEX)
    file(SHA256 "${FOLDER}/${name}" hash)
    file(SIZE "${FOLDER}/${name}" size)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "constexpr unsigned char file_${index}[] = {${bytes}0};\n")
    string(APPEND rows
           "    {\"${name}\", {reinterpret_cast<const char*>(file_${index}), ${size}}, \"${hash}\"},\n")
    math(EXPR index "${index} + 1")
  endforeach()
endif()
if(rows)
  set(table "const EmbeddedFile all[] = {\n${rows}};\n")
  set(result "all")
else()
  set(table "")
  set(result "{}")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"#include \"service/http/landing_routes.hpp\"

namespace skde::service {
namespace {
@arrays@@table@}  // namespace

std::span<const EmbeddedFile> embedded_files() { return @result@; }

}  // namespace skde::service
" @ONLY)
