#include "estimate/read/part_reader.hpp"

#include "core/report/error.hpp"
#include "core/version.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde {

void require_no_widths(const CloudFiles& files) {
  if (files.columns.shaped())
    throw Error(ErrorKind::unsupported,
                "samples with per-sample bandwidths cannot be summed in parts",
                {"widths", "use `widths=none`"});
}

PartialCloud describe_cloud(const io::CloudStream& stream) {
  PartialCloud cloud;
  cloud.units = stream.columns().units();
  cloud.axis_names = stream.columns().axis_names();
  cloud.frame = stream.columns().frame;
  cloud.where = stream.columns().where;
  cloud.version = kVersion;
  return cloud;
}

PartialCloud read_part(const CloudFiles& files, io::CloudPart part, int threads,
                       std::size_t at_once, Progress& progress,
                       const std::function<void(const SamplesView&)>& use) {
  require_no_widths(files);
  io::CloudStream stream(files.paths, files.columns, files.non_finite,
                         {.part = part, .threads = threads, .files = files.open});
  PartialCloud cloud = describe_cloud(stream);
  cloud.weighted = files.columns.weighted();
  cloud.pieces = {{files.paths, part.part + 1, part.parts}};
  Samples chunk, samples;
  do {
    samples.clear();
    while (samples.size() < at_once && stream.read(chunk, at_once - samples.size(), progress))
      append_samples(samples, chunk.view());
    cloud.moments.add(samples.view(), threads);
    if (samples.size() > 0) use(samples.view());
  } while (samples.size() > 0);
  const io::CloudCounts& counts = stream.counts();
  cloud.rows = {counts.rows, counts.non_finite, counts.zero_weight, counts.left_out};
  return cloud;
}

}  // namespace skde
