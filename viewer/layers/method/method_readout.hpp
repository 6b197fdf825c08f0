#pragma once

#include <array>
#include <string>
#include <vector>

#include "viewer/layers/method/sample_slices.hpp"
#include "viewer/layers/space/readout_line.hpp"

namespace skde::view {

/// The numbers of the method for a sample: its place and kernel in cells; what chop keeps of the
/// grid; what crop keeps of the chosen slice (index into slices.slices) and of all slices; how many
/// of these cells lie inside the kernel; and the gain of each step.
struct MethodReadout {
  std::vector<ReadoutLine> sample, slice, total;
};

/// The caption of a part of the method view: its title and its counts of cells. Each has shorter
/// versions for narrow parts.
struct MethodCaption {
  std::string title, short_title;
  std::vector<std::string> counts;
};

/// The captions of the three steps (all cells, chop, crop) and of the chosen slice.
std::array<MethodCaption, 4> method_captions(const SampleSlices& slices, std::size_t slice);

MethodReadout method_readout(const SampleSlices& slices, std::size_t slice);

}  // namespace skde::view
