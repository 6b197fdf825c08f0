#pragma once

#include "cli/command.hpp"

namespace skde::cli {

// The commands, one file each: <name>_command.cpp.
extern const Command kDensity, kBandwidth, kEval, kSmooth, kFit, kInfo, kClusters, kMass, kPeaks,
    kMoments, kMerge, kCompare, kConvert, kLevels, kIso, kSlice, kProject, kSample, kOrganise,
    kSort, kGenerate, kFormats, kEngines;

}  // namespace skde::cli
