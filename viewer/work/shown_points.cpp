#include "viewer/work/shown_points.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "estimate/read/cloud.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::view {
namespace {

constexpr std::size_t kSamplesAtOnce = std::size_t{1} << 16;

/// Returns how the files are read for the job.
CloudFiles files_of(const PointJob& job) {
  CloudFiles files = job.cloud->files;
  files.non_finite = io::NonFinite::drop;  // rows without a value are not shown
  std::string& where = files.columns.where;
  if (!job.where.empty())
    where = where.empty() ? job.where : fmt::format("({}) && ({})", where, job.where);
  if (!job.column.empty()) files.columns.others = {job.column};
  return files;
}

Error changed() {
  return {ErrorKind::input,
          "the files no longer hold the samples that are shown",
          {{}, "open them again; for a tangent frame, give the middle with `geographic`"}};
}

ShownPoints read_points(const PointJob& job, Progress& progress) {
  const CloudFiles files = files_of(job);
  if (std::ranges::count(files.paths, "-") > 0)
    throw Error(ErrorKind::usage, "standard input cannot be read again for other columns",
                {{}, "save it to a file, and open the file"});
  io::CloudStream stream(files.paths, files.columns, files.non_finite);
  const SamplesView all = job.cloud->points;
  ShownPoints found;
  Samples chunk;
  std::size_t next = 0;  // rows come in the order of the samples, some of which they leave out
  while (stream.read(chunk, kSamplesAtOnce, progress)) {
    const std::size_t columns = chunk.values.size() / chunk.size();
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const Vec3 place = chunk.view().point(i);
      if (!lies_within(place, job.within)) continue;
      while (next < all.size() && !(all.point(next) == place)) ++next;
      if (next == all.size()) throw changed();
      found.samples.push_back(static_cast<std::uint32_t>(next++));
      if (columns > 0) found.values.push_back(chunk.values[i * columns]);
    }
  }
  return found;
}

}  // namespace

void throw_about_points(const Error& error) {
  throw error.renaming("where", "points_where").renaming("value", "points_color");
}

ShownPoints find_points(const PointJob& job, Progress& progress) {
  try {
    return read_points(job, progress);
  } catch (const Error& error) {
    throw_about_points(error);
  }
}

}  // namespace skde::view
