#pragma once

#include <cstddef>
#include <functional>

#include "core/partial_sums.hpp"
#include "core/report/progress.hpp"
#include "estimate/request.hpp"

namespace skde {

namespace io {
class CloudStream;
}

/// Samples of a part that are read at a time. There are enough of them that the work on samples in
/// a slice outweighs the work on the slice's cells.
inline constexpr std::size_t kSamplesAtOnce = std::size_t{1} << 21;

/// Returns what a stream says of its samples before they are read.
PartialCloud describe_cloud(const io::CloudStream& stream);

/// Reads part of a cloud with `threads` threads (0: one a core) and passes its samples to `use`, up
/// to `at_once` at a time. Returns its rows and moments; their bits do not depend on how the cloud
/// was divided. Throws Error(unsupported) if samples have widths, and what io::CloudStream throws.
PartialCloud read_part(const CloudFiles& files, io::CloudPart part, int threads,
                       std::size_t at_once, Progress& progress,
                       const std::function<void(const SamplesView&)>& use);
void require_no_widths(const CloudFiles& files);

}  // namespace skde
