#include <fmt/core.h>
#include <openvdb/io/Archive.h>
#include <openvdb/io/File.h>
#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Dense.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/bytes/reader_program.hpp"
#include "io/volumes/openvdb/openvdb_grid.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {
namespace {

/// Metadata with the number of cells, which the active voxels alone do not determine.
constexpr const char* kDims = "dims";

/// Index to world: maps the index of a cell to its centre.
openvdb::math::Transform::Ptr transform_of(const Grid& grid) {
  const Vec3 &step = grid.spacing, first = grid.first_centre();
  openvdb::Mat4d matrix = openvdb::Mat4d::identity();
  matrix.preScale(openvdb::Vec3d(step.x, step.y, step.z));
  matrix.postTranslate(openvdb::Vec3d(first.x, first.y, first.z));
  return openvdb::math::Transform::createLinearTransform(matrix);
}

/// Throws Error(unsupported) if a value is NaN, which the library would treat as the background, 0.
template <class Real>
void require_numbers(const std::string& path, std::string_view bytes) {
  const std::span values(reinterpret_cast<const Real*>(bytes.data()), bytes.size() / sizeof(Real));
  if (std::ranges::none_of(values, [](Real value) { return std::isnan(value); })) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: OpenVDB cannot store nan, and some values are nan", path),
              {{}, "write another format, such as .vti"});
}

void add_metadata(openvdb::GridBase& to, const Grid& grid, const DensityMetadata& metadata) {
  to.setName(metadata.values.empty() ? "density" : metadata.values);
  to.setGridClass(openvdb::GRID_FOG_VOLUME);
  to.setTransform(transform_of(grid));
  const auto& dims = grid.dims;
  to.insertMeta(kDims, openvdb::StringMetadata(fmt::format("{} {} {}", dims[0], dims[1], dims[2])));
  for (const VolumeField& field : fields_of(metadata, grid))
    to.insertMeta(field.name, openvdb::StringMetadata(field_text(field, " ")));
}

[[noreturn]] void refuse_openvdb(const std::string& path, std::string_view what) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, what));
}

/// Reads all grids of a file. The library's own File trusts a truncated or broken file; a stream
/// that throws at its end does not.
openvdb::GridPtrVecPtr read_grids(const std::string& path) {
  std::ifstream input(path, std::ios::binary);
  input.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);
  return openvdb::io::Stream(input, false).getGrids();
}

/// Returns the grid `density`, or else the first one.
openvdb::GridBase::Ptr find_grid(const openvdb::GridPtrVec& grids, const std::string& path) {
  for (const openvdb::GridBase::Ptr& grid : grids)
    if (grid->getName() == "density") return grid;
  if (grids.empty()) refuse_openvdb(path, "holds no grid");
  return grids.front();
}

/// Reads the grid that find_grid() would find, without its tree.
openvdb::GridBase::Ptr read_grid_head(const std::string& path) {
  openvdb::io::File file(path);
  file.open(/*delayLoad=*/false);
  const openvdb::GridPtrVecPtr heads = file.readAllGridMetadata();
  return find_grid(*heads, path);
}

/// Gives access to the library's archive, so that it can be written to a stream that throws if the
/// disk is full.
class SeekableArchive : public openvdb::io::Archive {
 public:
  void write_to(std::ostream& output, const openvdb::GridPtrVec& grids) const {
    constexpr bool kSeekable = true;
    write(output, grids, kSeekable);
  }
};

/// A file that reports the bytes written to it; a write throws if the work was cancelled.
class WatchedFile final : public std::filebuf {
 public:
  explicit WatchedFile(Progress& progress) : progress_(progress) {}

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    progress_.throw_if_cancelled();
    written_ += static_cast<std::uint64_t>(count);
    progress_.update(written_);
    return std::filebuf::xsputn(bytes, count);
  }

 private:
  Progress& progress_;
  std::uint64_t written_ = 0;
};

/// Runs `work`; exceptions of the library become Errors that name the file.
template <class Work>
void write_guarded(const std::string& path, const Work& work) {
  try {
    work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::ios_base::failure&) {
    throw Error(ErrorKind::output,
                fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  } catch (const std::exception& error) {
    throw Error(ErrorKind::output,
                fmt::format("{}: cannot be written as OpenVDB: {}", path, error.what()));
  }
}

/// The sparse volume grows slice by slice. The file, metadata first and then the volume, is written
/// at the end.
class OpenvdbWriter final : public SliceWriter {
 public:
  OpenvdbWriter(const std::string& path, const Grid& grid, Precision precision)
      : SliceWriter("packing " + std::filesystem::path(path).filename().string(), grid, precision,
                    kSlicesAtOnce * slice_bytes(grid, precision)),
        pending_(path),
        sparse_(empty_openvdb_grid(precision)) {}

 private:
  static constexpr std::size_t kSlicesAtOnce = 16;  // two leaves high

  void append(std::string_view piece) override {
    if (precision() == Precision::f32)
      require_numbers<float>(pending_.path(), piece);
    else
      require_numbers<double>(pending_.path(), piece);
    const auto first = bytes_before() / slice_bytes(grid(), precision());
    write_guarded(pending_.path(), [&] {
      add_openvdb_slices(*sparse_, grid(), static_cast<std::int64_t>(first), piece);
    });
  }

  void complete(const DensityMetadata& metadata, Progress& progress) override {
    write_guarded(pending_.path(), [&] {
      add_metadata(*sparse_, grid(), metadata);
      WatchedFile file(progress);
      std::ostream output(&file);
      output.exceptions(std::ios::failbit | std::ios::badbit);
      if (!file.open(pending_.temporary(), std::ios::out | std::ios::binary))
        output.setstate(std::ios::badbit);
      progress.begin(writing_stage(pending_.path()), 0, "bytes");
      SeekableArchive().write_to(output, {sparse_});
      progress.throw_if_cancelled();
      if (!file.close()) output.setstate(std::ios::badbit);
    });
    pending_.commit();
  }

  PendingPath pending_;
  openvdb::GridBase::Ptr sparse_;
};

VolumeFields fields_in(const openvdb::GridBase& grid) {
  VolumeFields fields;
  for (auto meta = grid.beginMeta(); meta != grid.endMeta(); ++meta)
    if (meta->second && meta->second->typeName() == "string")
      if (auto field = field_from_text(meta->first, meta->second->str()))
        fields.push_back(std::move(*field));
  return fields;
}

/// The cells that skde recorded in the metadata.
std::optional<openvdb::CoordBBox> written_box(const openvdb::GridBase& grid) {
  const auto dims = grid.getMetadata<openvdb::StringMetadata>(kDims);
  openvdb::Coord last;
  if (!dims || std::sscanf(dims->value().c_str(), "%d %d %d", &last.x(), &last.y(), &last.z()) != 3)
    return std::nullopt;
  return openvdb::CoordBBox(openvdb::Coord(0, 0, 0), last.offsetBy(-1));
}

/// The box of the active voxels, as the library records it in the grid's metadata.
std::optional<openvdb::CoordBBox> active_box_in_head(const openvdb::GridBase& grid) {
  const auto first =
                 grid.getMetadata<openvdb::Vec3IMetadata>(openvdb::GridBase::META_FILE_BBOX_MIN),
             last = grid.getMetadata<openvdb::Vec3IMetadata>(openvdb::GridBase::META_FILE_BBOX_MAX);
  if (!first || !last) return std::nullopt;
  const openvdb::CoordBBox box(openvdb::Coord(first->value()), openvdb::Coord(last->value()));
  return box.empty() ? std::nullopt : std::optional(box);
}

/// The cells: those that skde recorded, or else the box of the active voxels.
openvdb::CoordBBox box_of(const openvdb::GridBase& grid, const std::string& path) {
  if (const auto written = written_box(grid)) return *written;
  const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
  if (box.empty()) refuse_openvdb(path, "has no active voxels");
  return box;
}

Grid grid_of(const openvdb::GridBase& source, const openvdb::CoordBBox& box,
             const std::string& path) {
  const openvdb::math::MapBase& map = *source.transform().baseMap();
  const openvdb::Mat4d matrix = map.getAffineMap()->getMat4();
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      if (row != column && matrix(row, column) != 0)
        refuse_openvdb(path, "is a rotated grid; skde reads axis-aligned grids only");
  const openvdb::Vec3d first = source.indexToWorld(box.min());
  return grid_of_file(path, {first.x(), first.y(), first.z()},
                      {matrix(0, 0), matrix(1, 1), matrix(2, 2)},
                      {std::int64_t{box.max().x()} - box.min().x() + 1,
                       std::int64_t{box.max().y()} - box.min().y() + 1,
                       std::int64_t{box.max().z()} - box.min().z() + 1});
}

template <class GridType, class Real>
Volume dense_volume(const GridType& source, const Grid& grid, const openvdb::CoordBBox& box) {
  lift_memory_limit();
  Volume volume(grid, sizeof(Real) == 4 ? Precision::f32 : Precision::f64);
  openvdb::tools::Dense<Real, openvdb::tools::LayoutXYZ> dense(
      box, volume.template values<Real>().data());
  openvdb::tools::copyToDense(source, dense);
  return volume;
}

VolumeHead head_of(const openvdb::GridBase& source, const openvdb::CoordBBox& box,
                   const std::string& path) {
  const VolumeFields fields = fields_in(source);
  return {exact_grid(grid_of(source, box, path), fields), true, metadata_from(fields)};
}

VolumeFile from_openvdb(const openvdb::GridBase& source, const std::string& path) {
  const openvdb::CoordBBox box = box_of(source, path);
  const VolumeHead head = head_of(source, box, path);
  const bool is_double = source.isType<openvdb::DoubleGrid>();
  if (!is_double && !source.isType<openvdb::FloatGrid>())
    refuse_openvdb(path, fmt::format("holds values of type {}; skde reads float and double",
                                     source.valueType()));
  require_volume_fits(path, head.grid, is_double ? Precision::f64 : Precision::f32);
  if (is_double)
    return {dense_volume<openvdb::DoubleGrid, double>(
                static_cast<const openvdb::DoubleGrid&>(source), head.grid, box),
            head.metadata};
  return {dense_volume<openvdb::FloatGrid, float>(static_cast<const openvdb::FloatGrid&>(source),
                                                  head.grid, box),
          head.metadata};
}

/// Runs `work`; exceptions of the library become Errors that name the file.
template <class Work>
auto read_guarded(const std::string& path, const Work& work) {
  openvdb::initialize();
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::ios_base::failure&) {
    refuse_openvdb(path, "cannot be read as OpenVDB: it is broken or truncated");
  } catch (const std::exception& error) {
    refuse_openvdb(path, fmt::format("cannot be read as OpenVDB: {}", error.what()));
  }
}

}  // namespace

std::unique_ptr<VolumeWriter> openvdb_writer(const std::string& path, const Grid& grid,
                                             Precision precision, const DensityMetadata&) {
  return std::make_unique<OpenvdbWriter>(path, grid, precision);
}

VolumeFile read_openvdb(const std::string& path) {
  return read_guarded(path,
                      [&] { return from_openvdb(*find_grid(*read_grids(path), path), path); });
}

VolumeHead read_openvdb_head(const std::string& path) {
  return read_guarded(path, [&] {
    const openvdb::GridBase::Ptr head = read_grid_head(path);
    if (auto box = written_box(*head); box || (box = active_box_in_head(*head)))
      return head_of(*head, *box, path);
    const openvdb::GridBase::Ptr whole = find_grid(*read_grids(path), path);
    return head_of(*whole, box_of(*whole, path), path);
  });
}

}  // namespace skde::io
