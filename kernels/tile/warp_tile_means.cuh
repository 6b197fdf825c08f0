#pragma once

#include "core/kernel/cell_nodes.hpp"
#include "kernels/tile/warp_tile_sums.cuh"

/// Means of kernels over the cells of a lane's row (core/kernel/cell_nodes.hpp).
namespace skde::kernels {

/// A profile with the nodes of its means.
template <class Real, class Profile>
struct MeanProfile {
  Profile of;
  CellNodes<Real> nodes;
};

/// Kernels of the samples' own or, if `shaped` is false, the common one.
template <class Real>
struct MeanShape {
  static constexpr TileBlock kBlock = kCommonBlock;
  static constexpr bool kScaled = false;
  static constexpr int kResident = 1;
  using Frame = BlockFrame<Real, kBlock>;
  static constexpr int kWithinCell = 0, kAlongAxes = -1;  ///< in place of numbers of nodes
  struct alignas(4 * sizeof(Real)) Waiting {
    LocalSample<Real> sample;
    EllipsoidFactors<Real> factors;
    int nodes;  ///< across
  };
  bool shaped;
  EllipsoidFactors<Real> common;
  Frame frame;

  template <class Profile>
  __device__ MeanShape(const WarpTilePlan& plan, const Profile& /*profile*/, const Frame& of)
      : shaped(plan.shaped), frame(of) {
    const Ellipsoid<double>& e = plan.ellipsoid;
    common = {Real(e.inv_sx), Real(e.inv_sy), Real(e.inv_sz),
              Real(e.bxy),    Real(e.bxz),    Real(e.bzy)};
  }

  template <class Profile>
  __device__ bool reaches(const WarpTileSamples& samples, std::uint32_t i,
                          const LocalSample<Real>& s, const Profile& profile,
                          Waiting& waiting) const {
    const EllipsoidFactors<Real> e = shaped ? own_factors<Real>(samples, i) : common;
    const Real edge = 0.5;
    Real extents[3];
    find_extents(e, extents);
    const auto [rx, ry, rz] = extents;
    waiting.sample = s;
    waiting.factors = e;
    // Centres of cells lie half a cell from the centre of a tile.
    const auto off = [](Real at) { return fabs(at - floor(at) - Real(0.5)); };
    if (off(s.x) + rx <= edge && off(s.y) + ry <= edge && off(s.z) + rz <= edge)
      waiting.nodes = kWithinCell;
    else if (kIsExponential<Profile> && is_along_axes(e))
      waiting.nodes = kAlongAxes;
    else
      waiting.nodes = profile.nodes.count(roundness<Real>(e));
    return fabs(s.x) < Frame::kHalfX + edge + rx && fabs(s.y) < Frame::kHalfY + edge + ry &&
           fabs(s.z) < Real(kHalfTileZ) + edge + rz;
  }

  template <class Profile>
  __device__ void add(LaneSums<Real>& sums, const Waiting& w, const Profile& profile) const {
    const Real dx = frame.x - w.sample.x, dy = frame.y - w.sample.y, dz = frame.z - w.sample.z;
    if (w.nodes == kWithinCell) return add_to_cell(sums.part, dx, dy, dz, w.sample.height);
    if constexpr (kIsExponential<Profile>)
      if (w.nodes == kAlongAxes) return add_products(sums.part, w, profile.of);
    add_nodes(sums.part, dx, dy, dz, w, profile);
  }

 private:
  static __device__ void add_to_cell(Real (&part)[kLaneCells], Real dx, Real dy, Real dz,
                                     Real height) {
    const Real edge = 0.5;
    if (fabs(dy) > edge || fabs(dz) > edge) return;
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k)
      if (fabs(dx + Real(k)) <= edge) part[k] += height;
  }

  /// Adds products of shares of a Gaussian's mass between faces. The first lanes find the error
  /// function at the faces of the tile, for all lanes.
  template <class Profile>
  __device__ void add_products(Real (&part)[kLaneCells], const Waiting& w,
                               const Profile& profile) const {
    constexpr int kY = kLaneCells + 1, kZ = kY + kWarpTileY + 1, kFaces = kZ + kWarpTileZ + 1;
    static_assert(kFaces <= 32);
    const int lane = threadIdx.x % 32;
    const bool is_x = lane < kY, is_y = lane < kZ;
    const int face = is_x ? lane : is_y ? lane - kY : lane - kZ;
    const Real half = is_x ? kHalfTileX : is_y ? kHalfTileY : kHalfTileZ;
    const Real at = is_x ? w.sample.x : is_y ? w.sample.y : w.sample.z;
    const Real scale = is_x ? w.factors.inv_sx : is_y ? w.factors.inv_sy : w.factors.inv_sz;
    const double value =
        erf(sqrt(profile.rate) * double(scale) * (double(face) - double(half) - 0.5 - double(at)));
    const auto share = [&](int first) {  // between this face and the next
      return Real(
          0.5 * (__shfl_sync(kAllLanes, value, first + 1) - __shfl_sync(kAllLanes, value, first)));
    };
    const LanePlace place = lane_place();
    const Real height = w.sample.height * share(kY + place.y) * share(kZ + place.z);
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k) part[k] = fma(height, share(k), part[k]);
  }

  template <class Profile>
  static __device__ void add_nodes(Real (&part)[kLaneCells], Real dx, Real dy, Real dz,
                                   const Waiting& w, const Profile& profile) {
    const EllipsoidFactors<Real>& e = w.factors;
    const CellNodes<Real>& nodes = profile.nodes;
    const Real edge = 0.5, sy = 1 / e.inv_sy, sz = 1 / e.inv_sz;
    const Real low = fmax(dz - edge, -sz), high = fmin(dz + edge, sz);
    if (!(low < high)) return;
    const Real scale = w.sample.height * nodes.mass * e.inv_sx * e.inv_sy * e.inv_sz * (high - low);
    const int first = nodes.first(w.nodes);
    for (int i = first; i < first + w.nodes; ++i) {
      const Real at_z = edge * (low + high) + edge * (high - low) * nodes.place[i];
      const Real u2 = at_z * e.inv_sz, middle = e.bzy * at_z;
      const Real half = sy * sqrt(fmax(1 - u2 * u2, Real(0)));
      const Real begin = fmax(dy - middle - edge, -half), end = fmin(dy - middle + edge, half);
      if (!(begin < end)) continue;
      for (int j = first; j < first + w.nodes; ++j) {
        const Real at = edge * (begin + end) + edge * (end - begin) * nodes.place[j];
        const Real u1 = at * e.inv_sy;
        add_chord(part, dx - edge - (e.bxy * (at + middle) + e.bxz * at_z), u1 * u1 + u2 * u2,
                  scale * nodes.weight[i] * nodes.weight[j] * (end - begin), w, profile);
      }
    }
  }

  /// Adds the cells of the row, the first of which begins at `from` relative to the chord's middle.
  template <class Profile>
  static __device__ void add_chord(Real (&part)[kLaneCells], Real from, Real outer, Real weight,
                                   const Waiting& w, const MeanProfile<Real, Profile>& profile) {
    const CellNodes<Real>& nodes = profile.nodes;
    const Real inv_sx = w.factors.inv_sx;
    const Real half = sqrt(fmax(1 - outer, Real(0))) / inv_sx;
    const int along = nodes.along_x > 0 ? nodes.along_x : w.nodes;
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k)
      part[k] =
          fma(weight, integral_along(nodes, along, profile.of, from + Real(k), half, outer, inv_sx),
              part[k]);
  }
};

/// So that rows are seen to be exponential where their means are.
template <class Real, class Profile>
inline constexpr bool kIsExponential<MeanProfile<Real, Profile>> = kIsExponential<Profile>;

template <class Real>
void launch_tile_sums(const WarpTilePlan& plan, const Kernel& kernel, const WarpTileArrays& arrays,
                      TileWindow window, int multiprocessors, cudaStream_t stream) {
  with_profile(kernel, [&](const auto& profile) {
    using Profile = std::decay_t<decltype(profile)>;
    constexpr bool kEqual = std::is_same_v<Real, float> && Profile::kDegree > 0;
    if (plan.edge > 0) {
      using Mean = MeanProfile<Real, Profile>;
      launch_tiles<Real, MeanShape<Real>>(plan,
                                          Mean{profile, cell_nodes(kernel).template cast<Real>()},
                                          arrays, window, multiprocessors, stream);
    } else if (plan.shaped) {
      launch_tiles<Real, OwnShape<Real>>(plan, profile, arrays, window, multiprocessors, stream);
    } else if (kEqual && plan.height > 0) {
      launch_tiles<Real, CommonShape<Real, kEqual>>(plan, profile, arrays, window, multiprocessors,
                                                    stream);
    } else {
      launch_tiles<Real, CommonShape<Real, false>>(plan, profile, arrays, window, multiprocessors,
                                                   stream);
    }
  });
}

}  // namespace skde::kernels
