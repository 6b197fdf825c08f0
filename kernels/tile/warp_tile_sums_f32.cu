#include "kernels/tile/warp_tile_means.cuh"

namespace skde::kernels {

template void launch_tile_sums<float>(const WarpTilePlan&, const Kernel&, const WarpTileArrays&,
                                      TileWindow, int, cudaStream_t);

}  // namespace skde::kernels
