// The content address of a cloud, and whether a file is still the one that was registered.

#include <filesystem>

#include "service/answer/http_message.hpp"
#include "service/store/content_hash.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::service;

TEST_CASE("contents are named as FIPS 180-4 and XXH3 have it") {
  // The first two are examples of FIPS 180-4; the third is XXH3's value for no bytes.
  CHECK(content_name("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(content_name("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(check_sum("") == "99aa06d3014798d86001c324468d497f");
  const test::TemporaryFolder folder;
  const std::string text((std::size_t{3} << 20) + 5, 'a'), path = folder.file("a", text);
  CHECK(content_name_of_file(path) == content_name(text));
  CHECK(check_sum_of_file(path) == check_sum(text));
  CHECK_THROWS_AS(content_name_of_file(folder.path("none")), Problem);
}

TEST_CASE("stamps tell of other files, times set back, and what is put beside") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a.nhdr", "header"),
                    first = folder.file("b c.raw", "values"), second = folder.path("d.raw.gz");
  const std::string stamps = file_stamps(path, {first, second});
  CHECK(has_stamps(path, stamps));
  CHECK(has_stamps(path, file_stamps(path, {})));
  CHECK_FALSE(has_stamps(path, ""));
  CHECK_FALSE(has_stamps(first, stamps));
  folder.file("d.raw.gz", "more");
  CHECK_FALSE(has_stamps(path, stamps));
  std::filesystem::remove(second);
  CHECK(has_stamps(path, stamps));
  const auto time = std::filesystem::last_write_time(first);
  std::filesystem::copy_file(first, second);
  std::filesystem::rename(second, first);  // same bytes and time, but another file
  std::filesystem::last_write_time(first, time);
  CHECK_FALSE(has_stamps(path, stamps));
  CHECK_THROWS_AS(require_stamps(path, stamps, "a"), Problem);
}
