#pragma once

#include <memory>
#include <string>

#include "core/density_metadata.hpp"
#include "core/space/volume.hpp"

namespace skde {

class BufferLease;
class Progress;
struct DensityFacts;
struct Kernel;

/// A density on a grid. Its values stay where the engine left them: in host memory or on a device.
/// Movable, not copyable. A moved-from density may only be assigned to or destroyed.
class Density {
 public:
  /// Creates a density without values, on a grid without cells. Calls that need values are not
  /// allowed.
  Density();
  /// Takes values that are complete and normalised as the facts say; nothing writes to them
  /// afterwards.
  Density(DensityFacts facts, DensityMetadata metadata, BufferLease values);
  /// Moves the density without copying values, whatever their size.
  Density(Density&& other) noexcept;
  /// Moves the density without copying values.
  Density& operator=(Density&& other) noexcept;
  ~Density();

  /// Metadata as a volume file stores it, except command line and version. If a volume file was
  /// opened, all of it comes from that file.
  DensityMetadata metadata;

  /// Returns how the density came about: the plan of its run, masses, warnings and times. The type
  /// is defined in estimate/density_facts.hpp.
  const DensityFacts& facts() const;
  /// Returns the facts for modification.
  DensityFacts& facts();
  /// Returns the grid; the values belong to its cell centres. Its lengths are in world units.
  const Grid& grid() const;
  /// Returns the kernel function and H, in squared world units: see core/kernel/kernel_shape.hpp.
  Kernel kernel() const;

  /// Returns the values in host memory, x fastest, in 1 / (world unit)^3; under
  /// Normalization::count they are multiplied by the weight. Values on a device are copied to the
  /// host once. Throws Error(resources) if host memory is short or the device fails.
  const Volume& volume();
  /// Returns the value of the cell that contains a point in world units. Throws Error(usage) if the
  /// point is outside the grid, and what volume() throws.
  double at(Vec3 world);
  /// Returns the values in host memory. Values that are already there are moved out of this object.
  /// Throws what volume() throws.
  Volume take_volume();
  /// Returns the buffer of the values: see estimate/stream/buffer_pool.hpp. Empty if there are
  /// none.
  const BufferLease& values() const;
  /// Returns the buffer of the values, so that it can be given back.
  BufferLease& values();

  /// Writes values and metadata to a file; its extension names the format: .vti, .nrrd, .npy, .nc,
  /// .nii, .mha or .vdb. The file appears complete or not at all; Session::open() reads it. Throws
  /// Error(usage) for an unknown format, Error(unsupported) if this build lacks it, Error(output)
  /// if the file cannot be written, Error(cancelled), and what volume() throws.
  void write(const std::string& path, Progress& progress);
  /// Writes the file without showing progress; cannot be cancelled.
  void write(const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skde
