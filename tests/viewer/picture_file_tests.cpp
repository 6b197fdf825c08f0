#include "viewer/scene/picture_file.hpp"

#include <filesystem>
#include <fstream>

#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::view;

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "skde_picture_file_tests";
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

TEST_CASE("a picture is the same after its file") {
  const Folder folder;
  Picture picture{3, 2, {}};
  for (std::uint8_t i = 0; i < 6; ++i)
    picture.pixels.push_back({static_cast<std::uint8_t>(40 * i), 255, i, 255});
  picture.pixels[4] = {0, 0, 0, 0};
  const std::string path = folder.path / "a.png";
  write_picture(picture, path);
  CHECK(load_picture(path) == picture);
}

TEST_CASE("a file that is no PNG is named") {
  const Folder folder;
  const std::string path = folder.path / "b.png";
  std::ofstream(path) << "text";
  CHECK_THAT(test::thrown_error([&] { load_picture(path); }).what(), Catch::Contains(path));
  const Error error = test::thrown_error([&] {
    write_picture({1, 1, {{1, 2, 3, 255}}}, "/nonexistent/c.png");
  });
  CHECK(error.kind() == ErrorKind::output);
}

}  // namespace
