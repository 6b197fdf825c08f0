#pragma once

#include "core/report/progress.hpp"
#include "core/space/volume.hpp"
#include "estimate/read/cloud_source.hpp"
#include "estimate/values/density.hpp"
#include "estimate/values/slice_sink.hpp"

namespace skde {

/// Runs a plan; the values stay where the engine works. Throws the plan's obstacle, what the engine
/// and reading throw, and Error(input) if no kernel covers a cell or values are beyond the range of
/// their type.
Density run_density(CloudSource& source, const DensityPlan& plan, Progress& progress);

/// Runs a plan slab by slab into a sink. Throws the same.
DensityFacts stream_density(CloudSource& source, const DensityPlan& plan, SliceSink& sink,
                            Progress& progress);

/// Runs a plan as run_density() does. Along axes with Boundary::linear the values are then
/// corrected for the slope of the density at the faces.
///
/// Mirrored samples make a density level at a face, whatever its slope. A second run sums samples
/// with their distance from the lower face as weight, which gives, for each cell, the mean distance
/// of the samples that it sees. This mean determines the slope s of a density exp(s x), folded at
/// the faces as the samples are. The value is multiplied by the ratio of that density's smooth
/// version without faces to the folded one: 1 far from faces, and exact for exponentials (a local
/// likelihood of degree 1: Hjort and Jones, Annals of Statistics 24, 1996). A slope changes the
/// density by a factor of at most e a deviation of the kernel, and is shrunk where few samples show
/// it. The corrected values are positive and scaled to the mass they had.
///
/// Throws what run_density() throws, and Error(resources) if the volume is not in memory as a
/// whole.
Density run_to_faces(CloudSource& source, const DensityPlan& plan, Progress& progress);

/// Runs a plan likewise, and writes the density to a sink.
DensityFacts stream_to_faces(CloudSource& source, const DensityPlan& plan, SliceSink& sink,
                             Progress& progress);

/// Returns the mass of the density in the box as the sum over its cells, some slices at a time.
/// Throws Error(cancelled).
double volume_mass(const Volume& volume, Progress& progress);

}  // namespace skde
