#include "io/volumes/rewritten_head.hpp"

#include <stdexcept>
#include <utility>

namespace skde::io {

RewrittenHead::RewrittenHead(Text text, const DensityMetadata& expected, const Grid& grid)
    : text_(std::move(text)), grid_(grid), room_(text_(longest_fields(expected, grid), 0).size()) {}

std::string RewrittenHead::with(const DensityMetadata& metadata) const {
  const VolumeFields fields = fields_of(metadata, grid_);
  const std::size_t needed = text_(fields, 0).size();
  if (needed > room_)
    throw std::logic_error("VolumeWriter: the metadata have longer texts than were expected");
  return text_(fields, room_ - needed);
}

}  // namespace skde::io
