#include "estimate/sum/part_sums.hpp"

#include "core/report/error.hpp"
#include "estimate/read/part_reader.hpp"
#include "estimate/sum/boundary_sums.hpp"
#include "io/points/partial_sums_file.hpp"

namespace skde {
namespace {

/// Requires that the samples of a part may be among those of the whole.
void require_part_of(const PartialCloud& part, const PartialCloud& whole) {
  const ExactMoments &a = part.moments, &b = whole.moments;
  bool inside = a.count() <= b.count() && a.largest_weight() <= b.largest_weight() &&
                a.total_weight() <= b.total_weight();
  const Box &box = a.sums().bounds, &all = b.sums().bounds;
  for (int axis = 0; axis < 3 && a.count() > 0; ++axis)
    inside = inside && box.lower[axis] >= all.lower[axis] && box.upper[axis] <= all.upper[axis];
  if (inside) return;
  throw Error(ErrorKind::input, "the samples of the part are not among those of the moments",
              {"moments", "give `moments` of these files, read with the same columns"});
}

}  // namespace

PartialSums sum_part(const CloudFiles& files, const SumsPlan& plan, Progress& progress) {
  plan.require_runnable();
  PartialSums partial{plan.head, {}, plan.summed_by()};
  PartialHead& head = partial.head;
  BoundarySums sums(head.problem, plan.engine, plan.options, plan.slices);
  head.cloud = read_part(files, plan.part, plan.options.threads,
                         static_cast<std::size_t>(plan.memory.part_samples), progress,
                         [&](const SamplesView& samples) {
                           SilentProgress silent(progress);
                           sums.add(samples, silent);
                         });
  head.cloud.rows.beyond = sums.beyond();
  head.outside = sums.outside();
  if (plan.whole) require_part_of(head.cloud, *plan.whole);
  require_digits(head, files.paths.front());
  partial.sums = sums.take_sums();
  return partial;
}

PartialSums merge_partial_sums(const std::vector<std::string>& paths, bool whole,
                               const io::OpenFiles& files, Progress& progress) {
  // Checks that the files fit together before reading the sums, which may be many gigabytes.
  PartialSums merged;
  for (const std::string& path : paths) {
    PartialHead head = io::read_partial_head(files.source(path));
    if (&path == &paths.front()) {
      merged.head = std::move(head);
      continue;
    }
    require_like(merged.head, paths.front(), head, path);
    merge_clouds(merged.head.cloud, head.cloud);
    merged.head.outside.merge(head.outside);
  }
  check_pieces(merged.head.cloud, whole);
  require_digits(merged.head, paths.back());
  progress.begin("merging", paths.size(), "files");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    progress.throw_if_cancelled();
    io::add_partial_sums(files.source(paths[i]), merged.sums);
    progress.update(i + 1);
  }
  return merged;
}

PartialCloud merge_moments(const std::vector<std::string>& paths, bool whole,
                           const io::OpenFiles& files) {
  PartialCloud merged = io::read_moments_file(paths.front(), files);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const PartialCloud cloud = io::read_moments_file(paths[i], files);
    require_like(merged, paths.front(), cloud, paths[i]);
    merge_clouds(merged, cloud);
  }
  check_pieces(merged, whole);
  return merged;
}

}  // namespace skde
