// Shared by all kernels. The host defines REAL (float or double). Kernels that read rows also get
// INDEX (unsigned short or int: the type of a column number) and WIDTH (columns of the factor).
//
// Sums have a fixed order, and there are no floating-point atomics: results repeat bit by bit.

typedef long long offset_t;
typedef unsigned short row_t;  // a row within a panel

// Four consecutive entries are loaded at once. Rows begin anywhere, so that the first and the last
// group of a row also hold entries of its neighbors; arrays are padded for the last group.
#define GROUP 4

__device__ __forceinline__ void load_values(const float* place, float* out) {
    const float4 group = __ldcs(reinterpret_cast<const float4*>(place));
    out[0] = group.x; out[1] = group.y; out[2] = group.z; out[3] = group.w;
}

__device__ __forceinline__ void load_values(const double* place, double* out) {
    const double2 first = __ldcs(reinterpret_cast<const double2*>(place));
    const double2 second = __ldcs(reinterpret_cast<const double2*>(place) + 1);
    out[0] = first.x; out[1] = first.y; out[2] = second.x; out[3] = second.y;
}

__device__ __forceinline__ void load_numbers(const unsigned short* place, int* out) {
    const ushort4 group = __ldcs(reinterpret_cast<const ushort4*>(place));
    out[0] = group.x; out[1] = group.y; out[2] = group.z; out[3] = group.w;
}

__device__ __forceinline__ void load_numbers(const int* place, int* out) {
    const int4 group = __ldcs(reinterpret_cast<const int4*>(place));
    out[0] = group.x; out[1] = group.y; out[2] = group.z; out[3] = group.w;
}

// Copies N numbers of a row, in vectors of up to 16 bytes. The row begins at a multiple of the
// largest power of two that divides its length in bytes, up to 16.
template <int N>
__device__ __forceinline__ void load_row(const REAL* row, REAL* out) {
    if constexpr (sizeof(REAL) == 4 && N % 4 == 0) {
#pragma unroll
        for (int z = 0; z < N; z += 4) {
            const float4 part = *reinterpret_cast<const float4*>(row + z);
            out[z] = part.x; out[z + 1] = part.y; out[z + 2] = part.z; out[z + 3] = part.w;
        }
    } else if constexpr (sizeof(REAL) == 4 && N % 2 == 0) {
#pragma unroll
        for (int z = 0; z < N; z += 2) {
            const float2 part = *reinterpret_cast<const float2*>(row + z);
            out[z] = part.x; out[z + 1] = part.y;
        }
    } else if constexpr (sizeof(REAL) == 8 && N % 2 == 0) {
#pragma unroll
        for (int z = 0; z < N; z += 2) {
            const double2 part = *reinterpret_cast<const double2*>(row + z);
            out[z] = part.x; out[z + 1] = part.y;
        }
    } else {
#pragma unroll
        for (int z = 0; z < N; z++) out[z] = row[z];
    }
}

template <int N>
__device__ __forceinline__ void store_row(const REAL* values, REAL* row) {
    if constexpr (sizeof(REAL) == 4 && N % 4 == 0) {
#pragma unroll
        for (int z = 0; z < N; z += 4)
            *reinterpret_cast<float4*>(row + z) =
                make_float4(values[z], values[z + 1], values[z + 2], values[z + 3]);
    } else if constexpr (sizeof(REAL) == 4 && N % 2 == 0) {
#pragma unroll
        for (int z = 0; z < N; z += 2)
            *reinterpret_cast<float2*>(row + z) = make_float2(values[z], values[z + 1]);
    } else {
#pragma unroll
        for (int z = 0; z < N; z++) row[z] = values[z];
    }
}

// Four consecutive entries of a row or of a segment.
template <class NUMBER>
struct Group {
    REAL values[GROUP];
    int numbers[GROUP];

    __device__ __forceinline__ void load(const REAL* data, const NUMBER* places) {
        load_values(data, values);
        load_numbers(places, numbers);
    }

    // Ignores entries outside of [first, last); this group begins at p.
    __device__ __forceinline__ void mask(int p, int first, int last) {
        if (p < first || p + GROUP > last) {
#pragma unroll
            for (int k = 0; k < GROUP; k++) {
                const bool inside = p + k >= first && p + k < last;
                values[k] = inside ? values[k] : REAL(0);
                numbers[k] = inside ? numbers[k] : 0;
            }
        }
    }
};

// A factor with one row per number, STRIDE apart, of which N columns are read.
template <int N, int STRIDE>
struct Table {
    const REAL* rows;

    __device__ __forceinline__ void load(int number, REAL* out) const {
        // Tables of few columns have fewer than 2^31 values; 32-bit arithmetic is faster.
        if constexpr (STRIDE <= 4)
            load_row<N>(rows + number * STRIDE, out);
        else
            load_row<N>(rows + offset_t(number) * STRIDE, out);
    }

    // Adds the products of a group with rows of the table to sums.
    template <bool SQUARED_, class NUMBER>
    __device__ __forceinline__ void add(const Group<NUMBER>& group, REAL* sums) const {
        REAL parts[GROUP][N];
#pragma unroll
        for (int k = 0; k < GROUP; k++) load(group.numbers[k], parts[k]);
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            const REAL value = SQUARED_ ? group.values[k] * group.values[k] : group.values[k];
#pragma unroll
            for (int z = 0; z < N; z++) sums[z] += value * parts[k][z];
        }
    }
};

// Adds the products of the entries [begin, end) with rows of a table to sums. ``lane`` of LANES_
// threads takes every LANES_-th group of entries. With AHEAD_, the next group is loaded while one is
// used, which needs more registers.
template <int LANES_, bool SQUARED_, bool AHEAD_, class NUMBER, class TABLE>
__device__ __forceinline__ void add_entries(
    const REAL* __restrict__ data, const NUMBER* __restrict__ numbers, offset_t begin, offset_t end,
    int lane, const TABLE& table, REAL* sums)
{
    // Counting from the first group makes 32 bits sufficient.
    const offset_t origin = begin & ~offset_t(GROUP - 1);
    const int first = int(begin - origin), last = int(end - origin);
    data += origin;
    numbers += origin;
    Group<NUMBER> group, next;
    if (AHEAD_ && GROUP * lane < last) group.load(data + GROUP * lane, numbers + GROUP * lane);
    for (int p = GROUP * lane; p < last; p += GROUP * LANES_) {
        const int following = p + GROUP * LANES_;
        if (!AHEAD_)
            group.load(data + p, numbers + p);
        else if (following < last)
            next.load(data + following, numbers + following);
        group.mask(p, first, last);
        table.template add<SQUARED_>(group, sums);
        if (AHEAD_) group = next;
    }
}

// Sums over neighboring lanes; every lane gets the sum.
template <int LANES_, int N>
__device__ __forceinline__ void sum_over_lanes(REAL* sums) {
#pragma unroll
    for (int step = LANES_ / 2; step > 0; step >>= 1) {
#pragma unroll
        for (int z = 0; z < N; z++) sums[z] += __shfl_xor_sync(0xffffffffu, sums[z], step);
    }
}

// Adds the numbers of all threads of a warp to a counter; whole numbers may be added in any order.
__device__ __forceinline__ void add_count(int number, int* counter) {
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) number += __shfl_xor_sync(0xffffffffu, number, step);
    if (threadIdx.x % 32 == 0 && number) atomicAdd(counter, number);
}
