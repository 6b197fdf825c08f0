#include <cmath>
#include <cstring>

#include "core/report/error.hpp"
#include "io/volume_support.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

void check_equal(const Volume& a, const Volume& b) {
  CHECK(a.grid() == b.grid());
  REQUIRE(a.precision() == b.precision());
  const auto same_bits = [&]<class Real>(Real) {
    const auto left = a.values<Real>(), right = b.values<Real>();
    return left.size() == right.size() &&
           std::memcmp(left.data(), right.data(), left.size_bytes()) == 0;
  };
  CHECK((a.precision() == Precision::f32 ? same_bits(0.0f) : same_bits(0.0)));
}

void check_equal(const DensityMetadata& a, const DensityMetadata& b) {
  CHECK(a.kernel == b.kernel);
  CHECK(a.H == b.H);
  CHECK(a.h == b.h);
  CHECK(a.bandwidth_source == b.bandwidth_source);
  CHECK(a.adaptive == b.adaptive);
  CHECK(a.sharpened == b.sharpened);
  CHECK(a.measured_error == b.measured_error);
  CHECK(a.measured_cells == b.measured_cells);
  CHECK(a.samples == b.samples);
  CHECK(a.total_weight == b.total_weight);
  CHECK(a.effective_samples == b.effective_samples);
  CHECK(a.mass_in_box == b.mass_in_box);
  CHECK(a.normalization == b.normalization);
  CHECK(a.boundaries == b.boundaries);
  CHECK(a.units == b.units);
  CHECK(a.engine == b.engine);
  CHECK(a.command_line == b.command_line);
  CHECK(a.version == b.version);
}

void check_round_trip(const io::VolumeFormat& format, const Volume& volume,
                      const DensityMetadata& metadata) {
  const TemporaryFolder folder;
  const std::string path = folder.path("volume" + std::string(format.extension));
  format.write(path, volume, metadata);
  CHECK(io::is_volume_file(path));
  const io::VolumeFile file = io::read_volume(path);
  check_equal(volume, file.volume);
  check_equal(metadata, file.metadata);
}

}  // namespace

TEST_CASE("Every volume format gives back the same bits, grid and metadata") {
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    for (const auto& dims : std::vector<std::array<std::int64_t, 3>>{
             {7, 4, 5}, {1, 1, 1}, {1, 9, 2}, {33, 1, 17}, {130, 67, 41}}) {
      INFO(format.name << " " << dims[0] << " x " << dims[1] << " x " << dims[2]);
      check_round_trip(format, marked_volume<float>(odd_grid(dims)), full_metadata());
      check_round_trip(format, marked_volume<double>(odd_grid(dims)), full_metadata());
    }
  }
}

TEST_CASE("Metadata that are not known stay unknown") {
  DensityMetadata metadata = full_metadata();
  metadata.h = 0;
  metadata.units = "";
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    check_round_trip(format, marked_volume<float>(odd_grid({3, 4, 5})), metadata);
  }
}

TEST_CASE("A volume of more than one compressed block is the same afterwards") {
  const Grid grid = odd_grid({90, 90, 90});  // 2.8 MiB of float, in blocks of 1 MiB
  const Volume volume = marked_volume<float>(grid);
  const TemporaryFolder folder;
  const auto& zlib = io::volume_format_for("a.vti", "vti-zlib");
  zlib.write(folder.path("a.vti"), volume, full_metadata());
  check_equal(volume, io::read_volume(folder.path("a.vti")).volume);
  CHECK(content_of(folder.path("a.vti")).size() < 3000000);
}

TEST_CASE("A volume replaces the file that was there, and leaves nothing beside it") {
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    const TemporaryFolder folder;
    const std::string path =
        folder.file("volume" + std::string(format.extension), "something older");
    format.write(path, marked_volume<float>(odd_grid({3, 4, 5})), full_metadata());
    CHECK(io::read_volume(path).volume.maximum() == 100);
    CHECK(folder.names().size() == (format.name == "npy" ? 2 : 1));
  }
}

TEST_CASE("A volume that cannot be written is an error and no file") {
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    const TemporaryFolder folder;
    const std::string path = folder.path("missing/volume" + std::string(format.extension));
    try {
      format.write(path, marked_volume<float>(odd_grid({3, 4, 5})), full_metadata());
      FAIL_CHECK("no error");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::output);
      CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("missing/volume"));
    }
    CHECK(folder.names().empty());
  }
}

TEST_CASE("Writing a volume is told step by step, and a cancelled one leaves no file") {
  const Volume volume = marked_volume<float>(odd_grid({160, 160, 160}));  // 16 MiB
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    const TemporaryFolder folder;
    const std::string path = folder.path("volume" + std::string(format.extension));
    RecordedProgress whole;
    format.write(path, volume, full_metadata(), whole);
    CHECK(whole.updates > 0);
    CHECK(whole.all_named);
    CHECK(whole.grows);
    CHECK((whole.total == 0 || whole.done == whole.total));
    check_equal(volume, io::read_volume(path).volume);
    for (const int after : {0, 1, whole.updates - 1, whole.updates}) {
      const TemporaryFolder empty;
      RecordedProgress stopped;
      stopped.cancel_after = after;
      const Error error = thrown_error([&] {
        format.write(empty.path("volume" + std::string(format.extension)), volume, full_metadata(),
                     stopped);
      });
      CHECK(error.kind() == ErrorKind::cancelled);
      CHECK(stopped.updates == after);
      CHECK(empty.names().empty());
    }
  }
}
