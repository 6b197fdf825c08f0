#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/report/error.hpp"
#include "core/space/volume.hpp"
#include "io/bytes/output_file.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_file.hpp"
#include "io/values/npy_header.hpp"
#include "io/volumes/image_file.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {
namespace {

/// The narrow type of an array and its scale: stored number times scale is the value.
struct Narrowing {
  std::string_view word;   ///< "f16", "u8" or, for values of both signs, "i8"
  std::string_view descr;  ///< the same for NumPy
  std::size_t bytes = 0;   ///< of a number
  double scale = 1;        ///< of half floats a power of two
  double error = 0;        ///< largest error of a value by rounding
};

/// The bits of the nearest half float; the size of `value` is at most 2^15.
std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & 0x80000000U, size = bits ^ sign;
  // Beside 0.5 the last bit of a float is that of half floats below their normal range.
  const auto beside = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F);
  const std::uint32_t small = beside - 0x3f000000U;
  // To the nearest, halves to even, with the exponent of 8 bits turned into one of 5.
  const std::uint32_t large = (size + 0xc8000fffU + (size >> 13 & 1)) >> 13;
  return static_cast<std::uint16_t>((size < 0x38800000U ? small : large) | sign >> 16);
}

/// Stores values, each times `factor`.
template <class Real, class Factor>
void store(std::span<const Real> from, std::size_t bytes, bool is_signed, Factor factor, char* to) {
  if (bytes == 2) {
    auto* const halves = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t i = 0; i < from.size(); ++i)
      halves[i] = half_bits(static_cast<float>(static_cast<Factor>(from[i]) * factor));
    return;
  }
  const int zero = is_signed ? 128 : 0;
  const Factor half = static_cast<Factor>(zero) + Factor(0.5);
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] =
        static_cast<char>(static_cast<int>(static_cast<Factor>(from[i]) * factor + half) - zero);
}

/// Returns the least and the greatest value, and 0; the greatest is infinite if a value is not
/// finite.
template <class Real>
std::pair<double, double> extremes_of(std::span<const Real> values) {
  Real least = 0, most = 0, spoilt = 0;
#pragma omp parallel for simd reduction(min : least) reduction(max : most) reduction(+ : spoilt)
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real value = values[i];
    least = value < least ? value : least;
    most = value > most ? value : most;
    spoilt += value - value;  // not a number if the value is not finite
  }
  return {least, spoilt == 0 ? most : std::numeric_limits<Real>::infinity()};
}

/// Returns the scale by which the values use the range of the type. Throws Error(unsupported) if a
/// value is not finite.
Narrowing narrowing_for(ValueSpan values, ArrayValues stored) {
  const auto [least, most] = std::visit([](const auto& span) { return extremes_of(span); }, values);
  const double peak = std::max(most, -least);
  if (!std::isfinite(peak) || (peak > 0 && peak < 1e-300))
    throw Error(ErrorKind::unsupported,
                "values that are not finite, or below 1e-300, cannot be stored in fewer bits",
                {"stored_as", "leave out `stored_as`"});
  int exponent = 0;
  std::frexp(peak, &exponent);
  // The scales leave no value above the range, and numbers of doubles are rounded twice.
  constexpr int kHalfExponent = 15;
  constexpr double kHalfError = 8 * (1 + 0x1p-11), kByteError = 0.5 + 0x1p-13;
  const bool is_signed = least < 0;
  const double scale = peak == 0                     ? 1
                       : stored == ArrayValues::half ? std::ldexp(1, exponent - kHalfExponent)
                                                     : peak / (is_signed ? 127 : 255);
  if (stored == ArrayValues::half) return {"f16", "'<f2'", 2, scale, kHalfError * scale};
  if (is_signed) return {"i8", "'|i1'", 1, scale, kByteError * scale};
  return {"u8", "'|u1'", 1, scale, kByteError * scale};
}

/// Returns the bytes of the stored numbers.
std::string narrowed(ValueSpan values, const Narrowing& narrowing) {
  constexpr std::size_t kBlock = 1 << 16;
  // Floats are precise enough, unless the factor is beyond their range.
  const bool extreme = !(narrowing.scale > 1e-30 && narrowing.scale < 1e30);
  const bool is_signed = narrowing.word == "i8";
  const double factor = 1 / narrowing.scale;
  std::string bytes;
  std::visit(
      [&](const auto& span) {
        bytes.resize(span.size() * narrowing.bytes);
#pragma omp parallel for schedule(static)
        for (std::size_t first = 0; first < span.size(); first += kBlock) {
          const auto part = span.subspan(first, std::min(kBlock, span.size() - first));
          char* const to = bytes.data() + first * narrowing.bytes;
          if (extreme)
            store(part, narrowing.bytes, is_signed, factor, to);
          else
            store(part, narrowing.bytes, is_signed, static_cast<float>(factor), to);
        }
      },
      values);
  return bytes;
}

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kLongestDescription = std::uintmax_t{1} << 20;

/// The JSON file beside "density.npy": "density.npy.json". No other program's file has such a name
/// by chance.
std::string json_path(const std::string& path) { return path + std::string(kNpyCompanion); }

Json json_of(const Grid& grid, const DensityMetadata& metadata) {
  const Vec3 first = grid.first_centre(), &step = grid.spacing;
  Json json;
  json["shape"] = {grid.dims[2], grid.dims[1], grid.dims[0]};
  json["axes"] = "z, y, x";
  json["first_centre"] = {first.x, first.y, first.z};
  json["spacing"] = {step.x, step.y, step.z};
  for (const VolumeField& field : fields_of(metadata, grid)) {
    const auto* const numbers = std::get_if<std::vector<double>>(&field.value);
    if (!numbers)
      json[field.name] = std::get<std::string>(field.value);
    else if (numbers->size() == 1)
      json[field.name] = (*numbers)[0];
    else
      json[field.name] = *numbers;
  }
  return json;
}

ValueSpan values_of(std::string_view bytes, Precision precision) {
  const auto values = [&]<class Real>(const Real* first) {
    return std::span<const Real>(first, bytes.size() / sizeof(Real));
  };
  if (precision == Precision::f32) return values(reinterpret_cast<const float*>(bytes.data()));
  return values(reinterpret_cast<const double*>(bytes.data()));
}

/// Completes both files before either takes its name. The JSON file takes its name first, because
/// to readers an array means a complete volume; if the second rename fails, the first is undone. If
/// a crash separates a pair, the shapes reveal it.
class ArrayFiles final : public ArrayStream {
 public:
  explicit ArrayFiles(const std::string& path) : json_(json_path(path)), array_(path) {}
  void begin(const std::string&, std::uint64_t) override {}
  void write(std::string_view bytes) override { array_.write(bytes); }
  void finish(const std::string& description) override {
    json_.write(description);
    commit_both(json_, array_);
  }

 private:
  OutputFile json_, array_;
};

/// Narrow values are told from the whole volume: if it comes in parts, these are held until the
/// last.
class NpyVolumeWriter final : public SliceWriter {
 public:
  NpyVolumeWriter(const std::string& stage, std::unique_ptr<ArrayStream> files, ArrayStream* to,
                  const Grid& grid, Precision precision, ArrayValues values,
                  const DensityMetadata& expected)
      : SliceWriter(stage, grid, precision, kPieceBytes),
        files_(std::move(files)),
        to_(to ? to : files_.get()),
        values_(values),
        expected_(expected) {}

 private:
  void expect(ValueSpan slices) override {
    if (values_ == ArrayValues::wide || begun_) return begin();
    if (bytes_of(slices).size() < total_bytes()) return;
    narrowing_ = narrowing_for(slices, values_);
    begin();
  }
  void append(std::string_view piece) override {
    if (!begun_)
      held_ += piece;
    else if (narrowing_)
      to_->write(narrowed(values_of(piece, precision()), *narrowing_));
    else
      to_->write(piece);
  }
  void complete(const DensityMetadata& metadata, Progress&) override {
    if (!begun_) {
      const ValueSpan all = values_of(held_, precision());
      narrowing_ = narrowing_for(all, values_);
      begin();
      to_->write(narrowed(all, *narrowing_));
    }
    to_->finish(description(metadata));
  }

  void begin() {
    if (std::exchange(begun_, true)) return;
    const auto& dims = grid().dims;
    const std::vector<std::int64_t> shape{dims[2], dims[1], dims[0]};
    const std::string head =
        narrowing_ ? npy_header(narrowing_->descr, shape) : npy_header(precision(), shape);
    const std::uint64_t bytes =
        narrowing_ ? narrowing_->bytes * static_cast<std::uint64_t>(grid().cells()) : total_bytes();
    to_->begin(description(expected_), head.size() + bytes);
    to_->write(head);
  }
  std::string description(const DensityMetadata& metadata) const {
    Json json = json_of(grid(), metadata);
    if (narrowing_) {
      json["stored_as"] = narrowing_->word;
      json["scale"] = narrowing_->scale;
      json["rounding_error"] = narrowing_->error;
    }
    return json_text(json);
  }

  std::unique_ptr<ArrayStream> files_;
  ArrayStream* to_;
  ArrayValues values_;
  DensityMetadata expected_;
  std::optional<Narrowing> narrowing_;
  std::string held_;
  bool begun_ = false;
};

/// Reads the JSON beside the array; empty if there is none. Throws Error(input) if it cannot be a
/// description that skde wrote.
Json read_description(const std::string& path, const OpenFiles& files) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (!fs::exists(status)) return Json::object();
  if (!fs::is_regular_file(status))
    refuse_volume(path, "is not a regular file; it must be the JSON that describes the array");
  if (fs::file_size(path, none) > kLongestDescription)
    refuse_volume(path, "is larger than 1 MiB, the limit for the description of an array");
  return parse_json(read_text(path, files), path);
}

VolumeFields fields_in(const Json& json) {
  VolumeFields fields;
  for (const auto& [name, value] : json.items()) {
    std::string text;
    if (value.is_string()) {
      text = value.get<std::string>();
    } else if (value.is_number()) {
      text = json_line(value);
    } else if (value.is_array()) {
      for (const Json& part : value) text += json_line(part) + ' ';
    }
    if (auto field = field_from_text(name, text)) fields.push_back(std::move(*field));
  }
  return fields;
}

Vec3 vector_in(JsonObject& object, const char* name, Vec3 otherwise) {
  const Json* value = object.find(name);
  if (!value) return otherwise;
  const std::vector<double> v = object.numbers(*value, name, 3);
  return {v[0], v[1], v[2]};
}

/// The description may belong to another array of the same name.
void require_shape(JsonObject& description, const NpyHeader& header) {
  const Json* const shape = description.find("shape");
  if (shape && *shape != Json(header.shape))
    description.fail("shape", "does not match the array; write both files again");
}

std::array<std::int64_t, 3> dims_of(const std::string& name, const NpyHeader& header) {
  if (header.is_structured())
    refuse_volume(name, "a structured array is not a volume", std::string(kGiveDensity));
  if (header.shape.size() != 3)
    refuse_volume(name,
                  fmt::format("an array of {} dimensions is not a volume", header.shape.size()),
                  header.shape.size() == 2 ? std::string(kGiveDensity) : "");
  std::array<std::int64_t, 3> dims{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t extent = header.shape[2 - axis];
    dims[axis] = extent < (std::uint64_t{1} << 31) ? static_cast<std::int64_t>(extent) : 0;
  }
  return dims;
}

}  // namespace

VolumeFrame npy_volume_frame(const Grid& grid, Precision precision,
                             const DensityMetadata& metadata) {
  const auto& dims = grid.dims;
  return {npy_header(precision, {dims[2], dims[1], dims[0]}), "",
          json_text(json_of(grid, metadata))};
}

std::unique_ptr<VolumeWriter> npy_array_writer(const std::string& path, ArrayStream* to,
                                               ArrayValues values, const Grid& grid,
                                               Precision precision,
                                               const DensityMetadata& expected) {
  return std::make_unique<NpyVolumeWriter>(writing_stage(path),
                                           to ? nullptr : std::make_unique<ArrayFiles>(path), to,
                                           grid, precision, values, expected);
}

std::unique_ptr<VolumeWriter> npy_volume_writer(const std::string& path, const Grid& grid,
                                                Precision precision,
                                                const DensityMetadata& expected) {
  return npy_array_writer(path, nullptr, ArrayValues::wide, grid, precision, expected);
}

ImageHeader read_npy_volume_header(BufferedSource& source, const OpenFiles& files) {
  const std::string& path = source.name();
  const NpyHeader header = read_npy_header(source);
  if (header.fortran_order)
    refuse_volume(path, "is in Fortran order", "save numpy.ascontiguousarray of it");
  const std::string beside = json_path(path);
  const Json json = read_description(beside, files);
  JsonObject object(json, beside);
  require_shape(object, header);
  const VolumeFields fields = fields_in(json);
  ImageHeader result;
  result.type = header.type;
  result.big_endian = header.big_endian;
  if (const Json* const scale = object.find("scale"))
    result.slope = object.numbers(*scale, "scale", 1)[0];
  result.axes = {dims_of(path, header),
                 {0, 1, 2},
                 vector_in(object, "first_centre", {0, 0, 0}),
                 vector_in(object, "spacing", {1, 1, 1})};
  const Grid grid = grid_of_file(path, result.axes.first, result.axes.step, result.axes.sizes);
  result.head = {exact_grid(grid, fields), object.has("first_centre"), metadata_from(fields)};
  return result;
}

std::vector<std::string> npy_files_beside(const std::string& path, Presence) {
  if (!is_npy_volume(path, {})) return {};
  return {json_path(path)};
}

bool is_npy_volume(const std::string& path, const OpenFiles& files) {
  constexpr std::size_t kHeadBytes = 4096;  // of most headers; longer ones are read all the same
  BufferedSource source(files.source(path), kHeadBytes);
  try {
    const NpyHeader header = read_npy_header(source);
    return header.shape.size() == 3 && !header.is_structured();
  } catch (const Error&) {
    return false;  // the point reader will report the error
  }
}

}  // namespace skde::io
