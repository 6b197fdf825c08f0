#pragma once

#include "kernels/sort/sort_items.cuh"

namespace skde::kernels {

// A tile of items in the registers of a block. The bits of a place in the tile are split between
// the number of the thread and that of the register: registers take 4 bits, from bit 0, 4 or 8 on.
// Items whose places differ in these bits are compared without any exchange.
inline constexpr int kItemBits = 4, kTileBits = 12;
inline constexpr int kTileItems = 1 << kItemBits;  // of a thread
inline constexpr int kTileSize = 1 << kTileBits, kTileThreads = kTileSize / kTileItems;
inline constexpr int kNoTop = -1;  // see TileItems::SharedPlaces

/// Half-cleaners: compares items whose numbers differ in one bit, from bit bits - 1 down to bit 0.
template <int bits, class Item, int count>
__device__ inline void clean_items(Item (&items)[count]) {
#pragma unroll
  for (int bit = bits - 1; bit >= 0; --bit)
#pragma unroll
    for (int k = 0; k < count; ++k)
      if ((k >> bit & 1) == 0) put_in_order(items[k], items[k | (1 << bit)]);
}

/// The first passes of a level: compares items whose numbers differ in all of the lowest `bits`
/// bits, which makes two bitonic halves of two ascending ones, and cleans these.
template <int bits, class Item, int count>
__device__ inline void mirror_and_clean(Item (&items)[count]) {
#pragma unroll
  for (int k = 0; k < count; ++k)
    if ((k >> (bits - 1) & 1) == 0) put_in_order(items[k], items[k ^ ((1 << bits) - 1)]);
  clean_items<bits - 1>(items);
}

/// The share of a thread in a tile. All 256 threads of the block take part in every call.
template <class Key, class Value>
class TileItems {
  // A word is left free after 16, so that lanes at distances of 16 reach different banks.
  static constexpr int kSharedItems = kTileSize + kTileSize / kTileItems;
  static constexpr int kValueBytes = kHasValue<Value> ? static_cast<int>(sizeof(Value)) : 0;

 public:
  static constexpr int kSharedBytes = kSharedItems * (static_cast<int>(sizeof(Key)) + kValueBytes);

  /// Loads this tile of the arrays; the registers have the bits from `low` on.
  template <int low>
  __device__ void load(const SortArrays<Key, Value>& arrays, unsigned tile) {
    const SortArrays<Key, Value> own = part_of(arrays, tile);
    const int first = first_place<low>(false);
#pragma unroll
    for (int k = 0; k < kTileItems; ++k) items_[k] = load_item(own, first + (k << low));
  }
  template <int low>
  __device__ void store(const SortArrays<Key, Value>& arrays, unsigned tile) const {
    const SortArrays<Key, Value> own = part_of(arrays, tile);
    const int first = first_place<low>(false);
#pragma unroll
    for (int k = 0; k < kTileItems; ++k) store_item(own, first + (k << low), items_[k]);
  }

  template <int bits>
  __device__ void clean() {
    clean_items<bits>(items_);
  }

  /// Changes the bits that registers have. `from_top` and `to_top`: see SharedPlaces. Every thread
  /// writes the places that it read last, so that one barrier serves; the first exchange reads none
  /// before.
  template <int from, int to, int from_top = kNoTop, int to_top = kNoTop>
  __device__ void exchange() {
    extern __shared__ __align__(16) unsigned char shared[];
    Key* const keys = reinterpret_cast<Key*>(shared);
    Value* const values = reinterpret_cast<Value*>(keys + kSharedItems);
    const SharedPlaces<from, from_top> written;
#pragma unroll
    for (int k = 0; k < kTileItems; ++k) {
      keys[written.of(k)] = items_[k].key;
      if constexpr (kHasValue<Value>) values[written.of(k)] = items_[k].value;
    }
    // With the bits from 0 or from 4 on in registers, a warp has the same 512 places.
    if constexpr (from <= 4 && to <= 4)
      __syncwarp();
    else
      __syncthreads();
    const SharedPlaces<to, to_top> read;
#pragma unroll
    for (int k = 0; k < kTileItems; ++k) {
      items_[k].key = keys[read.of(k)];
      if constexpr (kHasValue<Value>) items_[k].value = values[read.of(k)];
    }
  }

  /// Sorts the tile. The registers have the bits from 0 on, before and after.
  __device__ void sort() {
    mirror_and_clean<1>(items_);
    mirror_and_clean<2>(items_);
    mirror_and_clean<3>(items_);
    mirror_and_clean<4>(items_);
    merge_level<4, 5>();
    merge_level<4, 6>();
    merge_level<4, 7>();
    merge_level<4, 8>();
    merge_level<8, 9>();
    merge_level<8, 10>();
    merge_level<8, 11>();
    merge_level<8, 12>();
  }

 private:
  static __device__ SortArrays<Key, Value> part_of(SortArrays<Key, Value> arrays, unsigned tile) {
    const std::int64_t start = static_cast<std::int64_t>(tile) * kTileSize;
    arrays.keys += start;
    if constexpr (kHasValue<Value>) arrays.values += start;
    arrays.count -= start;
    return arrays;
  }

  /// Returns the place in the tile of this thread's first register, where registers have the bits
  /// from `low` on; with the bits below them inverted on demand.
  template <int low>
  static __device__ int first_place(bool inverted) {
    constexpr int kMask = (1 << low) - 1;
    const int thread = static_cast<int>(threadIdx.x);
    return (thread >> low << (low + kItemBits)) + ((inverted ? ~thread : thread) & kMask);
  }

  /// Where the registers of this thread are in shared memory. In the first passes of a level, `top`
  /// is its highest bit: places with it have the bits below `low` inverted, so that a thread has
  /// both partners of a comparison.
  template <int low, int top>
  struct SharedPlaces {
    static constexpr int kStep = (1 << low) + (1 << low) / kTileItems;
    int plain = padded(first_place<low>(false)), inverted = padded(first_place<low>(true));

    static __device__ int padded(int place) { return place + place / kTileItems; }
    __device__ int of(int k) const {
      bool upper = false;
      if constexpr (top >= low) upper = (k >> (top - low) & 1) != 0;
      return (upper ? inverted : plain) + k * kStep;
    }
  };

  /// A level of the network whose highest bit, level - 1, is among the bits from `low` on.
  template <int low, int level>
  __device__ void merge_level() {
    exchange<0, low, kNoTop, level - 1>();
    mirror_and_clean<level - low>(items_);
    if constexpr (low == 8) {
      exchange<8, 4, level - 1>();
      clean<kItemBits>();
      exchange<4, 0>();
    } else {
      exchange<4, 0, level - 1>();
    }
    clean<kItemBits>();
  }

  SortItem<Key, Value> items_[kTileItems];
};

}  // namespace skde::kernels
