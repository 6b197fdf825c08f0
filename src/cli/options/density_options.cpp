#include "cli/options/density_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/options/byte_size.hpp"
#include "cli/options/device_flag.hpp"
#include "core/report/name_list.hpp"
#include "core/report/nearest_name.hpp"
#include "core/report/number_list.hpp"
#include "engines/registry.hpp"
#include "io/points/columns/row_condition.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

/// Cells are often written as 128x128x128.
void require_commas(const std::string& given) {
  std::string mended = given;
  std::ranges::replace_if(
      mended, [](char c) { return c == 'x' || c == 'X' || c == '*' || c == ' ' || c == ';'; }, ',');
  if (mended != given && parse_number_list<std::int64_t>(mended).size() == 3)
    throw Error(ErrorKind::usage, fmt::format("'{}' is not NX,NY,NZ", given),
                {{}, fmt::format("divide the numbers by commas: `dims={}`", mended)});
}

std::vector<std::string> boundary_words() {
  std::vector<std::string> words;
  words.reserve(kBoundaries.size());
  for (const auto& [word, boundary] : kBoundaries) words.emplace_back(word);
  return words;
}

void add_grid_options(OptionTable& table, DensityOptions& options) {
  GridSpec& grid = options.request.grid;
  table.group("Grid");
  add_bounds_flag(table, grid);
  table.value(
      {.name = "dims",
       .value = "N|NX,NY,NZ",
       .help =
           "cells along the side that takes the most, cubes unless the kernel reaches more than "
           "4 times farther along one axis than along another; or cells along each axis",
       .by_default = "128"},
      grid.dims, [](const std::string& given) {
        require_commas(given);
        return parse_dims(given);
      });
  table.value({.name = "spacing",
               .value = "S|SX,SY,SZ",
               .help = "edge of a cell in world units, or its three edges",
               .by_default = "from --dims"},
              grid.spacing, [](const std::string& given) { return parse_spacing(given); });
  table.value({.name = "like",
               .value = "VOLUME",
               .help = "the very grid of this volume file; --bounds places one that has no "
                       "coordinates"},
              options.like_file);
  add_boundary_flag(table, options.request.boundaries);
}

void add_memory_limit(OptionTable& table, DensityOptions& options) {
  table.value({.name = "memory-limit",
               .value = "BYTES",
               .help = "host memory to stay within, as 2G; larger clouds are read in parts",
               .by_default = "what is available"},
              options.memory_limit, parse_bytes);
}

void add_memory_options(OptionTable& table, DensityOptions& options) {
  add_memory_limit(table, options);
  table.value({.name = "device-memory",
               .value = "BYTES",
               .help = "GPU memory to stay within; larger volumes are summed in slabs",
               .by_default = "what is free"},
              options.request.options.device_memory, parse_bytes);
}

std::vector<std::string> engine_words() {
  std::vector<std::string> words{std::string(kAutomaticEngine)};
  for (const auto& [word, hardware] : kHardwareWords) words.emplace_back(word);
  for (const EngineEntry& entry : engine_table()) words.emplace_back(entry.traits.name);
  return words;
}

void add_threads_flag(OptionTable& table, const std::string& help, DensityRequest& request) {
  table.value({.name = "threads", .value = "N", .help = help, .by_default = "one a core"},
              request.options.threads, [](const std::string& given) {
                return static_cast<int>(WholeNumber(1, 4096)(given));
              });
}

void add_precision_flag(OptionTable& table, const std::string& help, DensityRequest& request) {
  table.value({.name = "precision",
               .value = "f32|f64",
               .help = help,
               .by_default = std::string(word_of(kPrecisions, request.precision))},
              request.precision, OneOf<Precision>(kPrecisionWords));
}

void add_engine_options(OptionTable& table, DensityRequest& request) {
  table.group("Computation");
  table.apply(
      {.name = "engine",
       .value = "NAME",
       .help = "method and machine, see 'skde engines'; auto: the fastest one for the case; "
               "cpu or gpu: the fastest one there",
       .by_default = "auto",
       .words = engine_words()},
      [&request](const std::string& given) { request.name_engine(given); });
  add_threads_flag(table, "CPU threads of a CPU engine", request);
  add_device_flag(table, request.options);
  add_precision_flag(table, "type of the sums and of the volume", request);
}

/// A text that stands in a line of many files.
std::string plain_text(const std::string& given) {
  if (std::ranges::any_of(given, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw Error(ErrorKind::usage,
                fmt::format("'{}' has a line break or a control character", given),
                {{}, "leave it out"});
  return given;
}

void add_units_flag(OptionTable& table, DensityOptions& options) {
  table.value({.name = "units",
               .value = "NAME",
               .help = "unit of the coordinates, written to the files: m, km, degrees",
               .by_default = "that of the columns' names, as in 'x (m)'"},
              options.units, plain_text);
}

void check_grid_options(const ParsedFlags& flags) {
  if (!flags.has("like")) return;
  for (const std::string_view name : {"dims", "spacing"})
    if (flags.has(name))
      usage_error(fmt::format(
          "--{} contradicts --like, which fixes the whole grid; drop one of them", name));
}

/// Flags of a device limit the choice where no engine is named.
void check_automatic_engine(const ParsedFlags& flags, std::optional<Device> hardware) {
  const bool cpu = flags.has("threads") || hardware == Device::cpu;
  const bool gpu = flags.has("device") || flags.has("device-memory") || hardware == Device::cuda;
  if (cpu && gpu)
    usage_error(
        "--threads and --engine cpu are for the CPU, --device, --device-memory and --engine gpu "
        "for "
        "GPUs: drop one of them");
}

void check_engine_options(const ParsedFlags& flags, const DensityRequest& request) {
  if (request.is_automatic()) return check_automatic_engine(flags, request.device);
  make_engine(request.engine, request.options);  // throws where it is unknown or unavailable
  const EngineTraits& traits = engine_entry(request.engine).traits;
  const bool cuda = traits.device == Device::cuda;
  if (cuda && flags.has("threads"))
    usage_error(fmt::format("--threads has no effect on engine {}, which runs on a GPU; drop it",
                            traits.name));
  for (const std::string_view flag : {"device", "device-memory"})
    if (!cuda && flags.has(flag))
      usage_error(fmt::format("--{} has no effect on engine {}, which runs on the CPU; drop it",
                              flag, traits.name));
  if (!(traits.error_in(request.precision) > 0))
    usage_error(fmt::format("--precision f64 is not offered by engine {}; choose another --engine",
                            traits.name));
}

}  // namespace

std::vector<std::string> parse_columns(const std::string& given) {
  std::vector<std::string> names = parse_names(given);
  for (const std::string& name : names)
    if (name.empty() || names.size() != 3)
      throw Error(ErrorKind::usage, fmt::format("'{}' is not three names or numbers X,Y,Z", given),
                  {"columns", "give `columns` as three names or numbers with commas between them"});
  return names;
}

std::string parse_where(const std::string& given) {
  static_cast<void>(io::RowCondition(given));
  return given;
}

Grid grid_like(const std::string& path, std::optional<Box> bounds) {
  const io::VolumeHead head = io::read_volume_head(path);
  if (head.placed && bounds)
    usage_error(fmt::format(
        "--bounds contradicts --like {}, which fixes the whole grid; drop one of them", path));
  if (head.placed) return head.grid;
  if (!bounds)
    throw Error(ErrorKind::input, fmt::format("{}: does not say where its cells lie", path),
                {"bounds", "give the outer faces of its box with `bounds`"});
  Grid grid{bounds->lower, bounds->upper - bounds->lower, head.grid.dims};
  for (int axis = 0; axis < 3; ++axis)
    grid.spacing[axis] /= static_cast<double>(grid.dims[static_cast<std::size_t>(axis)]);
  return grid;
}

void add_input_options(OptionTable& table, CloudFiles& files) {
  table.group("Samples");
  table.value({.name = "columns",
               .value = "X,Y,Z",
               .help = "names or numbers (from 1) of the coordinate columns",
               .by_default = "x,y,z or alike; the first three of numbers where none has a name"},
              files.columns.coordinates, parse_columns);
  table.value({.name = "weights",
               .value = "COLUMN",
               .help = "name or number of the column of weights, 0 or more each",
               .by_default = "every weight is 1"},
              files.columns.weight);
  table.value({.name = "where",
               .value = "CONDITION",
               .help = "rows that are kept, by comparisons of columns with numbers and texts: "
                       "\"classification == 2 && (z > 10 || kind != 'noise')\"",
               .by_default = "all"},
              files.columns.where, parse_where);
  table.value({.name = "geographic",
               .value = "FRAME[:LON:LAT][,WORD...]",
               .help = "reads longitude, latitude and a third coordinate in degrees as places on "
                       "the ellipsoid WGS84, in km: earth, geocentric x, y, z; tangent, east, "
                       "north and up about a middle or that of the cloud; or sky: right "
                       "ascension, declination and distance. Words: what the third is, depth, "
                       "elevation or radius, and its unit, m or km, where its name does not say",
               .by_default = "coordinates are lengths; without a value: earth",
               .words = {"earth", "tangent", "sky", "depth", "elevation", "radius", "m", "km"},
               .bare = "earth"},
              files.columns.geographic, io::parse_geographic);
  add_width_options(table, files.columns);
  table.value({.name = "skip",
               .value = "N",
               .help = "lines at the beginning of a text that are passed over",
               .by_default = "0"},
              files.columns.skip, WholeNumber(0, std::uint64_t{1} << 40));
  table.value({.name = "nan",
               .value = "drop|error",
               .help = "rows with a NaN or an infinity: drop and count them, or stop there",
               .by_default = "drop"},
              files.non_finite,
              OneOf<io::NonFinite>{{"drop", io::NonFinite::drop}, {"error", io::NonFinite::error}});
}

double parse_tolerance(const std::string& given) {
  constexpr double kMost = 0.1;
  const double share = RealNumber(0)(given);
  if (share > kMost)
    throw Error(ErrorKind::usage, fmt::format("'{}' is more than {} of the peak", given, kMost),
                {"tolerance", "give a share such as `tolerance=1e-4`"});
  return share;
}

void add_bounds_flag(OptionTable& table, GridSpec& grid) {
  table.value(
      {.name = "bounds",
       .value = "X0,Y0,Z0:X1,Y1,Z1|all",
       .help = "outer faces of the box, which are kept exactly; all: those of the cloud and "
               "its kernels, outliers too",
       .by_default = "the cloud without outliers, and its kernels"},
      grid, [&grid](const std::string& given) {
        GridSpec spec = grid;
        spec.whole_cloud = given == "all";
        spec.bounds.reset();
        if (!spec.whole_cloud) spec.bounds = parse_bounds(given);
        return spec;
      });
}

void add_boundary_flag(OptionTable& table, Boundaries& boundaries) {
  table.value(
      {.name = "boundary",
       .value = "B|BX,BY,BZ",
       .help = "what becomes of kernels beyond the faces of the box, along all axes or each: "
               "reflect mirrors them back in, periodic has them come in at the other face, "
               "renormalize divides each by its mass inside",
       .by_default = "none",
       .words = boundary_words()},
      boundaries, [](const std::string& given) { return parse_boundaries(given); });
}

void add_density_options(OptionTable& table, DensityOptions& options) {
  add_input_options(table, options.files);
  add_kernel_options(table, options);
  add_grid_options(table, options);
  add_engine_options(table, options.request);
  add_memory_options(table, options);
  add_own_width_options(table, options.adaptive, options.request);
  table.group("Values");
  table.value({.name = "normalize",
               .value = "density|box|count",
               .help = "integral 1 over all space, 1 over the box, or the sum of weights over all "
                       "space",
               .by_default = "density"},
              options.request.normalization, OneOf<Normalization>(kNormalizations));
  table.flag({.name = "keep-negatives",
              .help = "keeps values a little below 0 that the rounding of transforms leaves, so "
                      "that sums over cells are unbiased; other engines leave none"},
             options.request.keep_negatives);
  add_units_flag(table, options);
}

void add_mean_options(OptionTable& table, DensityOptions& options) {
  add_input_options(table, options.files);
  add_kernel_options(table, options);
  add_adaptive_options(table, options.adaptive);
  add_grid_options(table, options);
  table.group("Computation");
  add_threads_flag(table, "CPU threads", options.request);
  add_precision_flag(table, "type of a volume's values; sums are in double", options.request);
  add_memory_limit(table, options);
  add_units_flag(table, options);
}

void add_point_density_options(OptionTable& table, DensityOptions& options) {
  add_input_options(table, options.files);
  add_kernel_options(table, options);
  add_adaptive_options(table, options.adaptive);
  table.group("Box");
  add_boundary_flag(table, options.request.boundaries);
  table.value({.name = "bounds",
               .value = "X0,Y0,Z0:X1,Y1,Z1",
               .help = "outer faces of the box that --boundary is of",
               .by_default = "the cloud's own"},
              options.request.grid.bounds,
              [](const std::string& given) { return parse_bounds(given); });
  add_engine_options(table, options.request);
  add_memory_options(table, options);
}

void check_kernel_options(const ParsedFlags& flags, const DensityRequest& request) {
  const auto& bandwidth = request.bandwidth.bandwidth;
  const bool lengths = std::holds_alternative<Vec3>(bandwidth);
  const bool fixed = lengths || std::holds_alternative<Symmetric3>(bandwidth);
  for (const std::string_view name : {"covariance", "regularize"})
    if (fixed && flags.has(name))
      usage_error(fmt::format(
          "--{} has no effect beside a --bandwidth of {}, which fixes the whole matrix H; drop it",
          name, lengths ? "three lengths" : "a matrix"));
  if (flags.has("regularize") && std::holds_alternative<double>(bandwidth) &&
      request.bandwidth.form == CovarianceForm::iso)
    usage_error(
        "--regularize has no effect beside --covariance iso and a --bandwidth of one length; "
        "drop it");
}

void require_inputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code ignored;  // what cannot be looked at is no file
    if (parse_number_list<double>(path).empty() || std::filesystem::exists(path, ignored)) continue;
    usage_error(
        fmt::format("'{}' is a number and no file; numbers of one flag are divided by "
                    "commas, as --dims 128,128,64",
                    path));
  }
}

void complete_density_options(const ParsedFlags& flags, DensityOptions& options) {
  check_kernel_options(flags, options.request);
  check_width_options(flags, options.files.columns);
  if (io::Geographic& geographic = options.files.columns.geographic; geographic.wanted())
    geographic.units = options.units;
  if (options.adaptive.wanted) options.request.adaptive = options.adaptive.alpha;
  check_grid_options(flags);
  check_engine_options(flags, options.request);
  if (flags.has("threads")) options.request.device = Device::cpu;
  if (flags.has("device") || flags.has("device-memory")) options.request.device = Device::cuda;
  if (options.like_file.empty()) return;
  options.request.like = grid_like(options.like_file, options.request.grid.bounds);
  options.request.grid.bounds.reset();
}

}  // namespace skde::cli
