#pragma once

#include <cstdint>

#include "core/space/space.hpp"
#include "estimate/plan/density_plan.hpp"

namespace skde {

namespace io {
struct RowIndex;
}

/// Chooses the blocks, or their pieces, that lie within `reach` of the box. The samples that are
/// read are divided where the whole cloud would be divided into parts of `samples_a_part` (0: it is
/// one part), so that engines add them in the same groups. Parts without any sample are left out.
BlockChoice choose_blocks(const io::RowIndex& index, const Box& box, Vec3 reach,
                          std::uint64_t samples_a_part);

/// Chooses the blocks, or their pieces, that are partly in the box. Adds the samples of those that
/// are wholly inside to `inside`; they are not read.
BlockChoice choose_faces(const io::RowIndex& index, const Box& box, std::uint64_t& inside);

/// Returns the box with every face moved outwards.
Box grown(const Box& box, Vec3 by);

}  // namespace skde
