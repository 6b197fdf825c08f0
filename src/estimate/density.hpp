#pragma once

#include <memory>
#include <string>

#include "core/density_metadata.hpp"
#include "core/volume.hpp"

namespace skde {

class BufferLease;
class Progress;
struct DensityFacts;
struct Kernel;

/// A density on a grid, its values where the engine left them, in host memory or on a device.
/// Moves, and is not copied; one that was moved from may be assigned to or destroyed, no more.
class Density {
 public:
  /// One without values, whose grid has no cells: only what is of no values may be asked for.
  Density();
  /// The values are normalised as the facts say, and complete: nothing writes to them any more.
  Density(DensityFacts facts, DensityMetadata metadata, BufferLease values);
  /// Moves, whatever the values take; nothing is copied.
  Density(Density&& other) noexcept;
  /// The same.
  Density& operator=(Density&& other) noexcept;
  ~Density();

  /// As a volume file has it, but for command line and version; all of a file's own where a volume
  /// was opened.
  DensityMetadata metadata;

  /// How it came about: the plan of its run, masses, warnings and times. Their header is
  /// estimate/density_facts.hpp.
  const DensityFacts& facts() const;
  /// The same, to be changed.
  DensityFacts& facts();
  /// The grid at whose cell centres the values are; its lengths are in world units.
  const Grid& grid() const;
  /// The kernel function and H, in squared world units: core/kernel/kernel_shape.hpp.
  Kernel kernel() const;

  /// The values in host memory, x fastest, where they are copied once if they are on a device: in
  /// 1 / (world unit)^3, times weight under Normalization::count. Error(resources) where that
  /// memory, or the device, is not there.
  const Volume& volume();
  /// The value of the cell that holds a point in world units. Error(usage) outside of the grid, and
  /// what volume() throws.
  double at(Vec3 world);
  /// The values in host memory; they are gone from here where they lived there. Throws the same.
  Volume take_volume();
  /// The values where they lie: estimate/stream/buffer_pool.hpp. Empty where there are none.
  const BufferLease& values() const;
  /// The same, to be given back.
  BufferLease& values();

  /// Writes values and metadata to a file of the format that its extension names: .vti, .nrrd,
  /// .npy, .nc, .nii, .mha or .vdb. It appears whole or not at all. Session::open() reads it.
  /// Error(usage) where there is no such format, Error(unsupported) where this build lacks it,
  /// Error(output) where it cannot be written, Error(cancelled), and what volume() throws.
  void write(const std::string& path, Progress& progress);
  /// The same, which shows nothing and cannot be cancelled.
  void write(const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skde
