// Volumes written slice by slice.

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "core/report/error.hpp"
#include "io/file_size_limit.hpp"
#include "io/text/json_object.hpp"
#include "io/volume_support.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

template <class Real>
Volume random_volume(const std::array<std::int64_t, 3>& dims) {
  const Grid grid = odd_grid(dims);
  std::mt19937 bits(7);
  std::vector<Real> values(static_cast<std::size_t>(grid.cells()));
  for (Real& value : values) value = bits() % 3 == 0 ? Real(0) : static_cast<Real>(bits()) / 7;
  return {grid, std::move(values)};
}

/// Slices [z, z + slices) of a volume.
ValueSpan slices_of(const Volume& volume, std::int64_t z, std::int64_t slices) {
  const auto slice = static_cast<std::size_t>(volume.grid().dims[0] * volume.grid().dims[1]);
  return std::visit(
      [&](const auto& values) {
        return ValueSpan(values.subspan(static_cast<std::size_t>(z) * slice,
                                        static_cast<std::size_t>(slices) * slice));
      },
      volume.value_span());
}

std::unique_ptr<io::VolumeWriter> opened(const io::VolumeFormat& format, const std::string& path,
                                         const Volume& volume,
                                         const DensityMetadata& expected = full_metadata()) {
  return format.open(path, volume.grid(), volume.precision(), expected);
}

/// Writes in slabs of these numbers of slices, cycling through them.
void write_in_slabs(io::VolumeWriter& writer, const Volume& volume,
                    const std::vector<std::int64_t>& slabs, Progress& progress) {
  const std::int64_t depth = volume.grid().dims[2];
  for (std::int64_t z = 0, slab = 0; z < depth; ++slab) {
    const std::int64_t count =
        std::min(slabs[static_cast<std::size_t>(slab) % slabs.size()], depth - z);
    writer.write(slices_of(volume, z, count), progress);
    z += count;
  }
}

std::string file_name(const io::VolumeFormat& format) {
  return std::string("a").append(format.extension);
}

/// Calls body(format) for every format in this build.
template <class Body>
void for_each_format(const Body& body) {
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    body(format);
  }
}

/// Metadata with these numbers. Texts are final when writing begins; numbers may change later.
DensityMetadata with_numbers(double number, std::uint64_t samples) {
  DensityMetadata m = full_metadata();
  m.H = {-number, -number, -number, -number, -number, -number};
  m.h = m.total_weight = m.effective_samples = m.mass_in_box = number;
  m.samples = samples;
  return m;
}

void check_cuts(const io::VolumeFormat& format, const Volume& volume) {
  const TemporaryFolder whole;
  format.write(whole.path(file_name(format)), volume, full_metadata());
  for (const std::vector<std::int64_t>& slabs :
       std::vector<std::vector<std::int64_t>>{{1}, {5, 1, 0, 2}, {1000}}) {
    const TemporaryFolder folder;
    const std::string path = folder.path(file_name(format));
    const auto writer = opened(format, path, volume, with_numbers(0, 0));
    NoProgress silent;
    write_in_slabs(*writer, volume, slabs, silent);
    writer->finish(full_metadata());
    const io::VolumeFile file = io::read_volume(path);
    CHECK(same_bits(file.volume, volume));
    CHECK(file.metadata.samples == full_metadata().samples);
    REQUIRE(folder.names() == whole.names());
    if (format.name == "openvdb") continue;  // each of its files has an identifier
    for (const std::string& name : folder.names())
      CHECK((content_of(folder.path(name)) == content_of(whole.path(name))));
  }
}

}  // namespace

TEST_CASE("A disk without room for a volume is told of before the work") {
  const TemporaryFolder folder;
  Grid vast{.lower = {}, .spacing = {1, 1, 1}, .dims = {1 << 17, 1 << 17, 1 << 17}};
  for_each_format([&](const io::VolumeFormat& format) {
    const std::string path = folder.path("a" + std::string(format.extension));
    const auto require = [&](const Grid& grid) { format.require_room(path, grid, Precision::f32); };
    CHECK_NOTHROW(require(odd_grid({5, 4, 3})));
    if (format.packs) return;
    const Error error = thrown_error([&] { require(vast); });
    CHECK(error.kind() == ErrorKind::output);
    CHECK(says(error, "8.00 PiB"));
    CHECK(says(error, "free on its disk"));
    CHECK(error.parameter() == "dims");
  });
}

TEST_CASE("A volume is the same file however it is cut into slabs") {
  for_each_format([](const io::VolumeFormat& format) {
    for (const auto& dims : std::vector<std::array<std::int64_t, 3>>{
             {7, 4, 5}, {1, 1, 1}, {1, 9, 2}, {33, 1, 17}, {65, 67, 41}}) {
      INFO(dims[0] << " x " << dims[1] << " x " << dims[2]);
      check_cuts(format, random_volume<float>(dims));
    }
    check_cuts(format, random_volume<double>({7, 4, 5}));
    check_cuts(format, random_volume<double>({33, 1, 17}));
  });
}

TEST_CASE("Compressed blocks do not follow the borders of slabs") {
  // 1.3 MiB per slice, 27 MiB in all: slices span several blocks, and compression takes several
  // rounds.
  const Volume volume = random_volume<float>({601, 563, 21});
  check_cuts(io::volume_format_for("a.vti", "vti-zlib"), volume);
}

TEST_CASE("Numbers of any length replace those that were expected") {
  const Volume volume = random_volume<float>({7, 4, 5});
  const DensityMetadata shortest = with_numbers(0, 0),
                        longest = with_numbers(2.2250738585072014e-308, (1ull << 63) - 1024);
  for_each_format([&](const io::VolumeFormat& format) {
    const TemporaryFolder folder;
    const auto write = [&](const char* name, const DensityMetadata& expected,
                           const DensityMetadata& known) {
      const std::string path = folder.path(name + std::string(format.extension));
      const auto writer = opened(format, path, volume, expected);
      NoProgress silent;
      writer->write(volume.value_span(), silent);
      writer->finish(known);
      const io::VolumeFile file = io::read_volume(path);
      CHECK(same_bits(file.volume, volume));
      CHECK(file.metadata.H == known.H);
      CHECK(file.metadata.h == known.h);
      CHECK(file.metadata.mass_in_box == known.mass_in_box);
      CHECK(file.metadata.samples == known.samples);
      CHECK(file.metadata.command_line == known.command_line);
      return content_of(path);
    };
    const std::string grown = write("grown", shortest, longest);
    const std::string shrunk = write("shrunk", longest, shortest);
    if (format.name == "openvdb") return;
    CHECK((grown == write("long", longest, longest)));
    CHECK((shrunk == write("short", shortest, shortest)));
  });
}

TEST_CASE("Texts that have grown since writing began are a mistake of the caller") {
  const Volume volume = random_volume<float>({7, 4, 5});
  DensityMetadata known = full_metadata();
  known.engine = std::string(1000, 'e');
  for (const char* const name : {"vti", "vti-zlib", "nrrd"}) {
    INFO(name);
    const TemporaryFolder folder;
    const auto writer = opened(io::volume_format_for("", name), folder.path("a"), volume);
    NoProgress silent;
    writer->write(volume.value_span(), silent);
    CHECK_THROWS_AS(writer->finish(known), std::logic_error);
    CHECK_FALSE(std::filesystem::exists(folder.path("a")));
  }
}

TEST_CASE("A file is finished with all slices, no more and no less") {
  const Volume volume = random_volume<float>({7, 4, 5});
  const Volume doubles = random_volume<double>({7, 4, 5});
  for_each_format([&](const io::VolumeFormat& format) {
    const TemporaryFolder folder;
    {
      const auto writer = opened(format, folder.path(file_name(format)), volume);
      NoProgress silent;
      CHECK_THROWS_AS(writer->finish(full_metadata()), std::logic_error);
      writer->write(slices_of(volume, 0, 4), silent);
      CHECK_THROWS_AS(writer->finish(full_metadata()), std::logic_error);
      CHECK_THROWS_AS(writer->write(slices_of(volume, 0, 2), silent), std::logic_error);
      CHECK_THROWS_AS(writer->write(slices_of(doubles, 0, 1), silent), std::logic_error);
      CHECK_THROWS_AS(writer->write(volume.values<float>().subspan(0, 27), silent),
                      std::logic_error);
      writer->write(slices_of(volume, 4, 1), silent);
      CHECK_THROWS_AS(writer->write(slices_of(volume, 0, 1), silent), std::logic_error);
      CHECK_FALSE(std::filesystem::exists(folder.path(file_name(format))));
      writer->finish(full_metadata());
    }
    CHECK(same_bits(io::read_volume(folder.path(file_name(format))).volume, volume));
  });
}

TEST_CASE("Without finish() nothing stays behind and an older file stays as it was") {
  const Volume volume = random_volume<float>({7, 4, 5});
  for_each_format([&](const io::VolumeFormat& format) {
    for (const std::int64_t slices : {0, 2, 5}) {
      const TemporaryFolder folder;
      const std::string path = folder.file(file_name(format), "older");
      NoProgress silent;
      opened(format, path, volume)->write(slices_of(volume, 0, slices), silent);
      CHECK(folder.names() == std::vector<std::string>{file_name(format)});
      CHECK(content_of(path) == "older");
    }
  });
}

TEST_CASE("All slabs are one stage, and a cancelled one leaves no file") {
  const Volume volume = random_volume<float>({61, 53, 40});
  for_each_format([&](const io::VolumeFormat& format) {
    const TemporaryFolder folder;
    const std::string path = folder.path(file_name(format));
    RecordedProgress all;
    write_in_slabs(*opened(format, path, volume), volume, {7}, all);
    CHECK(all.stages_begun == 1);
    CHECK(all.all_named);
    CHECK(all.grows);
    CHECK(all.updates >= 6);
    CHECK(all.total == volume.values<float>().size_bytes());
    CHECK(all.done == all.total);
    RecordedProgress stopped;
    stopped.cancel_after = 3;
    const Error error =
        thrown_error([&] { write_in_slabs(*opened(format, path, volume), volume, {7}, stopped); });
    CHECK(error.kind() == ErrorKind::cancelled);
    CHECK(stopped.updates == 3);
    CHECK(folder.names().empty());
  });
}

TEST_CASE("A disk that is full in the middle is an output error, and nothing stays behind") {
  const Volume volume = random_volume<double>({64, 64, 40});
  for_each_format([&](const io::VolumeFormat& format) {
    const TemporaryFolder folder;
    const std::string path = folder.path(file_name(format));
    const FileSizeLimit limit(200000);
    const Error error = thrown_error([&] {
      const auto writer = opened(format, path, volume);
      NoProgress silent;
      write_in_slabs(*writer, volume, {1}, silent);
      writer->finish(full_metadata());
    });
    CHECK(error.kind() == ErrorKind::output);
    CHECK(says(error, path));
    CHECK(folder.names().empty());
  });
}

TEST_CASE("NPY: the array does not appear where its description cannot") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("a.npy.json"));
  const Error error = thrown_error([&] {
    io::volume_format_for("a.npy").write(folder.path("a.npy"), random_volume<float>({7, 4, 5}),
                                         full_metadata());
  });
  CHECK(error.kind() == ErrorKind::output);
  CHECK(says(error, "a.npy.json"));
  CHECK(folder.names() == std::vector<std::string>{"a.npy.json"});
}

TEST_CASE("Narrow arrays have the same bits in any slabs, and the error that they state") {
  const io::ArrayValues values = GENERATE(io::ArrayValues::half, io::ArrayValues::byte);
  const Volume volume = GENERATE(random_volume<float>({7, 5, 9}), random_volume<double>({7, 5, 9}),
                                 Volume(odd_grid({3, 2, 4}), Precision::f32));
  std::vector<std::string> files;
  for (const std::vector<std::int64_t>& slabs :
       std::vector<std::vector<std::int64_t>>{{1000}, {1}, {5, 1, 0, 2}}) {
    const TemporaryFolder folder;
    const std::string path = folder.path("a.npy");
    const auto writer = io::volume_format_for(path).open_array(path, nullptr, values, volume.grid(),
                                                               volume.precision(), full_metadata());
    NoProgress silent;
    write_in_slabs(*writer, volume, slabs, silent);
    writer->finish(full_metadata());
    files.push_back(content_of(path) + content_of(path + ".json"));
    const double stated = io::read_json(path + ".json")["rounding_error"].get<double>();
    const Volume read = io::read_volume(path).volume;
    double most = 0;
    for (std::int64_t z = 0; z < volume.grid().dims[2]; ++z)
      most = std::max(most, std::abs(read.at(1, 1, z) - volume.at(1, 1, z)));
    CHECK(most <= stated);
    CHECK(stated <= (volume.maximum() > 0 ? volume.maximum() / 250 : 10));
  }
  CHECK(files[0] == files[1]);
  CHECK(files[0] == files[2]);
}
