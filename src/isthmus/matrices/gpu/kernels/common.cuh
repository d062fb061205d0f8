// Shared by all kernels. The host defines REAL (float or double), INDEX (unsigned short or int: the
// type of a column number) and WIDTH (columns of the dense factor).
//
// Sums have a fixed order, and there are no floating-point atomics: results repeat bit by bit.

typedef long long offset_t;
typedef unsigned short row_t;  // a row within a panel

// Four consecutive entries are loaded at once. Rows begin anywhere, so that the first and the last
// group of a row also hold entries of its neighbours; arrays are padded for the last group.
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

// Adds value * table[0..N) to sums; vector loads where the row of the table is aligned for them.
template <int N>
__device__ __forceinline__ void add_row(REAL* sums, REAL value, const REAL* table) {
    if constexpr (sizeof(REAL) == 4 && N % 4 == 0) {
#pragma unroll
        for (int z = 0; z < N; z += 4) {
            const float4 part = *reinterpret_cast<const float4*>(table + z);
            sums[z] += value * part.x;
            sums[z + 1] += value * part.y;
            sums[z + 2] += value * part.z;
            sums[z + 3] += value * part.w;
        }
    } else if constexpr (sizeof(REAL) == 4 && N % 2 == 0) {
#pragma unroll
        for (int z = 0; z < N; z += 2) {
            const float2 part = *reinterpret_cast<const float2*>(table + z);
            sums[z] += value * part.x;
            sums[z + 1] += value * part.y;
        }
    } else if constexpr (sizeof(REAL) == 8 && N % 2 == 0) {
#pragma unroll
        for (int z = 0; z < N; z += 2) {
            const double2 part = *reinterpret_cast<const double2*>(table + z);
            sums[z] += value * part.x;
            sums[z + 1] += value * part.y;
        }
    } else {
#pragma unroll
        for (int z = 0; z < N; z++) sums[z] += value * table[z];
    }
}

// Copies N numbers of an aligned row; four at a time if they fill whole vectors.
template <int N>
__device__ __forceinline__ void load_row(const REAL* row, REAL* out) {
    if constexpr (N % GROUP == 0) {
#pragma unroll
        for (int z = 0; z < N; z += GROUP) {
            if constexpr (sizeof(REAL) == 4) {
                const float4 part = *reinterpret_cast<const float4*>(row + z);
                out[z] = part.x; out[z + 1] = part.y; out[z + 2] = part.z; out[z + 3] = part.w;
            } else {
                const double2 first = *reinterpret_cast<const double2*>(row + z);
                const double2 second = *reinterpret_cast<const double2*>(row + z + 2);
                out[z] = first.x; out[z + 1] = first.y; out[z + 2] = second.x; out[z + 3] = second.y;
            }
        }
    } else {
#pragma unroll
        for (int z = 0; z < N; z++) out[z] = row[z];
    }
}

template <int N>
__device__ __forceinline__ void store_row(const REAL* values, REAL* row) {
    if constexpr (N % GROUP == 0 && sizeof(REAL) == 4) {
#pragma unroll
        for (int z = 0; z < N; z += GROUP)
            *reinterpret_cast<float4*>(row + z) =
                make_float4(values[z], values[z + 1], values[z + 2], values[z + 3]);
    } else {
#pragma unroll
        for (int z = 0; z < N; z++) row[z] = values[z];
    }
}

// Adds the products of the entries [begin, end) with rows of a table of WIDTH_ columns (STRIDE_
// apart) to sums. ``lane`` of LANES_ threads takes every LANES_-th group of entries.
template <int LANES_, int WIDTH_, int STRIDE_, bool SQUARED_, class NUMBER>
__device__ __forceinline__ void add_entries(
    const REAL* __restrict__ data, const NUMBER* __restrict__ numbers, offset_t begin, offset_t end,
    int lane, const REAL* table, REAL* sums)
{
    // Counting from the first group makes 32 bits sufficient.
    const offset_t origin = begin & ~offset_t(GROUP - 1);
    const int first = int(begin - origin), last = int(end - origin);
    data += origin;
    numbers += origin;
    for (int p = GROUP * lane; p < last; p += GROUP * LANES_) {
        REAL values[GROUP];
        int rows[GROUP];
        load_values(data + p, values);
        load_numbers(numbers + p, rows);
        if (p < first || p + GROUP > last) {
#pragma unroll
            for (int k = 0; k < GROUP; k++) {
                const bool inside = p + k >= first && p + k < last;
                values[k] = inside ? values[k] : REAL(0);
                rows[k] = inside ? rows[k] : 0;
            }
        }
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            if (SQUARED_) values[k] *= values[k];
            // Narrow tables have fewer than 2^31 numbers; 32-bit arithmetic is faster.
            if constexpr (STRIDE_ <= 8)
                add_row<WIDTH_>(sums, values[k], table + rows[k] * STRIDE_);
            else
                add_row<WIDTH_>(sums, values[k], table + offset_t(rows[k]) * STRIDE_);
        }
    }
}

// Sums over neighbouring lanes; every lane gets the sum.
template <int LANES_, int N>
__device__ __forceinline__ void sum_over_lanes(REAL* sums) {
#pragma unroll
    for (int step = LANES_ / 2; step > 0; step >>= 1) {
#pragma unroll
        for (int z = 0; z < N; z++) sums[z] += __shfl_xor_sync(0xffffffffu, sums[z], step);
    }
}
