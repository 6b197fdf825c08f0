#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/output_file.hpp"
#include "io/text_fields.hpp"
#include "io/volumes/rewritten_head.hpp"
#include "io/volumes/slice_writer.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

[[noreturn]] void refuse(const std::string& name, std::string_view what,
                         std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, what), {{}, std::move(suggestion)});
}

/// `text` on one line, as values of NRRD keys are written.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\\' && i + 1 < text.size();
    result += !pair ? text[i] : text[i + 1] == 'n' ? '\n' : text[i + 1];
    if (pair) ++i;
  }
  return result;
}

/// The header up to the empty line that ends it; blanks stand in a comment.
std::string header_text(const Grid& grid, Precision precision, std::string_view units,
                        const VolumeFields& fields, std::size_t blanks) {
  const Vec3 origin = grid.first_centre(), &step = grid.spacing;
  std::string text = fmt::format(
      "NRRD0005\n# density volume\ntype: {}\ndimension: 3\nspace dimension: 3\nsizes: {} {} {}\n"
      "space directions: ({},0,0) (0,{},0) (0,0,{})\nkinds: space space space\n"
      "centerings: cell cell cell\nendian: little\nencoding: raw\nspace origin: ({},{},{})\n",
      precision == Precision::f32 ? "float" : "double", grid.dims[0], grid.dims[1], grid.dims[2],
      step.x, step.y, step.z, origin.x, origin.y, origin.z);
  if (!units.empty()) {
    std::string unit(units);
    std::ranges::replace(unit, '"', '\'');
    text += fmt::format("space units: \"{0}\" \"{0}\" \"{0}\"\n", unit);
  }
  for (const VolumeField& field : fields)
    text += fmt::format("{}:={}\n", field.name, escaped(field_text(field, " ")));
  return text + fmt::format("#{:{}}\n\n", "", blanks);
}

/// The header and the values as they are.
class NrrdWriter final : public SliceWriter {
 public:
  NrrdWriter(const std::string& path, const Grid& grid, Precision precision,
             const DensityMetadata& expected)
      : SliceWriter(writing_stage(path), grid, precision, kPieceBytes),
        file_(path),
        head_(
            [=, units = expected.units](const VolumeFields& fields, std::size_t blanks) {
              return header_text(grid, precision, units, fields, blanks);
            },
            expected, grid) {
    file_.write(head_.with(expected));
  }

 private:
  void append(std::string_view piece) override { file_.write(piece); }
  void complete(const DensityMetadata& metadata, Progress&) override {
    const std::string head = head_.with(metadata);
    file_.overwrite(0, head.data(), head.size());
    file_.commit();
  }

  OutputFile file_;
  RewrittenHead head_;
};

struct NrrdHeader {
  std::map<std::string, std::string, std::less<>> entries;
  VolumeFields fields;
};

NrrdHeader read_header(BufferedSource& source) {
  const auto first = source.line();
  if (!first || !first->starts_with("NRRD"))
    refuse(source.name(), "its first line is not that of an NRRD file");
  NrrdHeader header;
  while (const auto line = source.line()) {
    if (line->empty()) return header;
    if (line->front() == '#') continue;
    if (const std::size_t key = line->find(":="); key != std::string_view::npos) {
      auto field = field_from_text(line->substr(0, key), unescaped(line->substr(key + 2)));
      if (field) header.fields.push_back(std::move(*field));
      continue;
    }
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos)
      refuse(source.name(), fmt::format("header line {} is not understood", excerpt(*line)));
    header.entries[lower_case(trimmed(line->substr(0, colon)))] =
        std::string(trimmed(line->substr(colon + 1)));
  }
  refuse(source.name(), "ends inside its header, or its data are in another file");
}

std::string_view entry(const NrrdHeader& header, std::string_view name) {
  const auto found = header.entries.find(name);
  return found == header.entries.end() ? std::string_view() : std::string_view(found->second);
}

/// The numbers of an entry, whatever stands between them; NaN for "none".
std::vector<double> numbers_in(const std::string& name, std::string_view text) {
  std::string plain(text);
  for (char& c : plain)
    if (c == '(' || c == ')' || c == ',') c = ' ';
  std::vector<double> values;
  for (const std::string_view word : split_words(plain)) {
    double value = 0;
    if (!parse_number(word, value)) refuse(name, fmt::format("{} is no number", excerpt(word)));
    values.push_back(value);
  }
  return values;
}

Vec3 spacing_of(const std::string& name, const NrrdHeader& header) {
  if (const std::string_view text = entry(header, "space directions"); !text.empty()) {
    const std::vector<double> m = numbers_in(name, text);
    if (m.size() != 9) refuse(name, "its space directions are not three vectors of three numbers");
    for (std::size_t i = 0; i < 9; ++i)
      if (i % 4 != 0 && m[i] != 0)
        refuse(name, "is a rotated volume; skde reads axis-aligned ones");
    return {m[0], m[4], m[8]};
  }
  if (const std::string_view text = entry(header, "spacings"); !text.empty()) {
    const std::vector<double> s = numbers_in(name, text);
    if (s.size() != 3) refuse(name, "its spacings are not three numbers");
    return {s[0], s[1], s[2]};
  }
  return {1, 1, 1};
}

Vec3 origin_of(const std::string& name, const NrrdHeader& header) {
  const std::string_view space = entry(header, "space origin");
  const std::vector<double> o =
      numbers_in(name, space.empty() ? entry(header, "axis mins") : space);
  if (o.empty()) return {};
  if (o.size() != 3) refuse(name, "its origin is not three numbers");
  return {o[0], o[1], o[2]};
}

Grid grid_of(const std::string& name, const NrrdHeader& header) {
  const std::vector<double> sizes = numbers_in(name, entry(header, "sizes"));
  if (entry(header, "dimension") != "3" || sizes.size() != 3)
    refuse(name, "is no volume of three dimensions");
  std::array<std::int64_t, 3> dims{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    dims[axis] =
        sizes[axis] >= 1 && sizes[axis] < 0x1p31 ? static_cast<std::int64_t>(sizes[axis]) : 0;
  return exact_grid(grid_of_file(name, origin_of(name, header), spacing_of(name, header), dims),
                    header.fields);
}

ScalarType type_of(const std::string& name, std::string_view text) {
  using Row = std::pair<std::string_view, ScalarType>;
  static constexpr std::array<Row, 19> kTypes{{{"float", ScalarType::f32},
                                               {"double", ScalarType::f64},
                                               {"signed char", ScalarType::i8},
                                               {"int8", ScalarType::i8},
                                               {"int8_t", ScalarType::i8},
                                               {"uchar", ScalarType::u8},
                                               {"unsigned char", ScalarType::u8},
                                               {"uint8", ScalarType::u8},
                                               {"uint8_t", ScalarType::u8},
                                               {"short", ScalarType::i16},
                                               {"int16", ScalarType::i16},
                                               {"ushort", ScalarType::u16},
                                               {"unsigned short", ScalarType::u16},
                                               {"uint16", ScalarType::u16},
                                               {"int", ScalarType::i32},
                                               {"int32", ScalarType::i32},
                                               {"uint", ScalarType::u32},
                                               {"unsigned int", ScalarType::u32},
                                               {"uint32", ScalarType::u32}}};
  for (const auto& [type_name, type] : kTypes)
    if (type_name == text) return type;
  refuse(name, fmt::format("values of type {} are not read", excerpt(text)));
}

/// Inflates the rest of the source, which must become `bytes` bytes.
std::string gunzip(BufferedSource& source, std::size_t bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 32) != Z_OK)
    throw Error(ErrorKind::resources, "zlib has no memory left to unpack with");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  std::string result(bytes, '\0');
  std::vector<char> packed(std::size_t{1} << 18);
  int state = Z_OK;
  for (std::size_t done = 0; done < bytes && state == Z_OK;) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(source.read(packed.data(), packed.size()));
      stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    }
    const std::size_t room = std::min<std::size_t>(bytes - done, 1u << 30);
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + done);
    stream.avail_out = static_cast<uInt>(room);
    if (stream.avail_in == 0) break;
    state = inflate(&stream, Z_NO_FLUSH);
    done += room - stream.avail_out;
    if (done == bytes) return result;
  }
  refuse(source.name(), "its packed values cannot be unpacked; the file is broken or cut short");
}

}  // namespace

std::unique_ptr<VolumeWriter> nrrd_writer(const std::string& path, const Grid& grid,
                                          Precision precision, const DensityMetadata& expected) {
  return std::make_unique<NrrdWriter>(path, grid, precision, expected);
}

VolumeFile read_nrrd(const std::string& path) {
  BufferedSource source(open_source(path));
  const std::string& name = source.name();
  const NrrdHeader header = read_header(source);
  if (!entry(header, "data file").empty() || !entry(header, "datafile").empty())
    refuse(name, "keeps its data in another file", "attach them ('unu save -f nrrd')");
  const Grid grid = grid_of(name, header);
  const ScalarType type = type_of(name, entry(header, "type"));
  const bool big_endian = entry(header, "endian") == "big";
  const DensityMetadata metadata = metadata_from(header.fields);
  const std::string_view encoding = entry(header, "encoding");
  if (encoding == "raw") return {read_values(source, grid, type, big_endian), metadata};
  if (encoding != "gzip" && encoding != "gz")
    refuse(name, fmt::format("encoding {} is not read", excerpt(encoding)), "save it raw or gzip");
  require_volume_fits(name, grid, precision_for(type));
  const std::string bytes = gunzip(source, static_cast<std::size_t>(grid.cells()) * size_of(type));
  return {volume_from_bytes(grid, bytes, type, big_endian), metadata};
}

}  // namespace skde::io
