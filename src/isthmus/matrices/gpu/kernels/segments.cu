// Passes over the columns: X.T @ left from a copy of the matrix in panels of rows.
//
// A panel holds PANEL rows, ordered by column. The entries of one column in one panel are a
// segment, with row numbers of 16 bits. Columns are sorted by their number of entries, so that
// there are four kinds of segments one after the other: those that get a whole block, a warp,
// several lanes, and as few lanes as possible. A panel is cut into parts with about the same work of
// every kind, one per block of threads.
//
// SLICE columns of ``left`` are summed at a time. OWNERS lanes share an entry and own PER_LANE
// columns each, so that a row of a wide slice is read without gaps.
//
// A block copies a slice of ``left`` for its panel to shared memory, multiplied by the scales
// of the rows, and processes a range of columns. If segments are too short for that (SHARED = 0),
// ``left`` holds the scaled slices one after the other, and is read where it is. The sums of the
// panels are added by ``add_panels`` in their order.

// Blocks that a multiprocessor holds: the compiler limits the registers for them.
constexpr int RESIDENT = sizeof(REAL) == 4 ? 2 : 1;
constexpr int KINDS = 4;
constexpr int VECTOR = 16 / sizeof(REAL);
constexpr int OWNERS = SLICE > VECTOR ? SLICE / VECTOR : 1;
constexpr int PER_LANE = SLICE / OWNERS;
constexpr int MEDIUM_LANES = OWNERS == 1 ? 8 : 16;

typedef Table<PER_LANE, SLICE> Slice;

// The part of a segment's sum that one of its lanes computes: PER_LANE columns.
template <int SEGMENT_LANES>
__device__ __forceinline__ void segment_lane_sum(
    const REAL* __restrict__ data, const row_t* __restrict__ rows, offset_t begin, offset_t end,
    int lane, const REAL* left, REAL* sums)
{
    const Slice slice = {left + lane % OWNERS * PER_LANE};
#pragma unroll
    for (int z = 0; z < PER_LANE; z++) sums[z] = 0;
    add_entries<SEGMENT_LANES / OWNERS, bool(SQUARED), false>(
        data, rows, begin, end, lane / OWNERS, slice, sums);
}

// Sums over the lanes that own the same columns; every lane gets the sum.
template <int SEGMENT_LANES>
__device__ __forceinline__ void sum_over_segment(REAL* sums) {
#pragma unroll
    for (int step = SEGMENT_LANES / 2; step >= OWNERS; step >>= 1) {
#pragma unroll
        for (int z = 0; z < PER_LANE; z++) sums[z] += __shfl_xor_sync(0xffffffffu, sums[z], step);
    }
}

// Sums of segments that all threads of the block share.
__device__ __forceinline__ void sum_huge_segments(
    const REAL* data, const row_t* rows, offset_t panel_begin, const unsigned* starts, int first,
    int last, const REAL* left, REAL* out)
{
    __shared__ REAL by_warp[THREADS / 32][SLICE];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int column = first; column < last; column++) {
        REAL sums[PER_LANE];
        segment_lane_sum<THREADS>(
            data, rows, panel_begin + starts[column], panel_begin + starts[column + 1],
            threadIdx.x, left, sums);
        sum_over_segment<32>(sums);
        if (lane < OWNERS) {
#pragma unroll
            for (int z = 0; z < PER_LANE; z++) by_warp[warp][lane * PER_LANE + z] = sums[z];
        }
        __syncthreads();
        if (threadIdx.x < SLICE) {
            REAL total = 0;
            for (int w = 0; w < THREADS / 32; w++) total += by_warp[w][threadIdx.x];
            out[offset_t(column) * SLICE + threadIdx.x] = total;
        }
        __syncthreads();
    }
}

// Sums of the segments [first, last) of a panel.
template <int SEGMENT_LANES>
__device__ __forceinline__ void sum_segments(
    const REAL* data, const row_t* rows, offset_t panel_begin, const unsigned* starts, int first,
    int last, const REAL* left, REAL* out)
{
    const int lane = threadIdx.x % SEGMENT_LANES;
    const int step = blockDim.x / SEGMENT_LANES;
    // All lanes of a warp make the same number of steps.
    const int n_steps = (last - first + step - 1) / step;
    int column = first + threadIdx.x / SEGMENT_LANES;
    for (int number = 0; number < n_steps; number++, column += step) {
        const bool exists = column < last;
        const offset_t begin = exists ? panel_begin + starts[column] : 0;
        const offset_t end = exists ? panel_begin + starts[column + 1] : 0;
        REAL sums[PER_LANE];
        segment_lane_sum<SEGMENT_LANES>(data, rows, begin, end, lane, left, sums);
        sum_over_segment<SEGMENT_LANES>(sums);
        if (exists && lane < OWNERS)
            store_row<PER_LANE>(sums, out + offset_t(column) * SLICE + lane * PER_LANE);
    }
}

// Copies SLICE columns of the rows of a panel.
__device__ __forceinline__ void copy_slice(
    const REAL* left, const REAL* row_scale, int width, int column, int height, REAL* out)
{
    if (width % SLICE == 0) {  // whole rows of the slice are aligned
#pragma unroll 4
        for (int p = threadIdx.x; p < height * OWNERS; p += THREADS) {
            const int row = p / OWNERS, first = p % OWNERS * PER_LANE;
            REAL values[PER_LANE];
            load_row<PER_LANE>(left + offset_t(row) * width + column + first, values);
#pragma unroll
            for (int z = 0; z < PER_LANE; z++) values[z] *= row_scale[row];
            store_row<PER_LANE>(values, out + row * SLICE + first);
        }
    } else {
        for (int p = threadIdx.x; p < height * SLICE; p += THREADS) {
            const int row = p / SLICE, y = column + p % SLICE;
            out[p] = y < width ? left[offset_t(row) * width + y] * row_scale[row] : REAL(0);
        }
    }
}

// bounds[panel][kind][part] is the first column of a kind of segments in a part of a panel.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) segment_sums(
    int n_rows, int n_columns, int width, int n_parts, int n_slices, const REAL* data,
    const row_t* rows, const offset_t* panel_begins, const unsigned* starts, const int* bounds,
    const REAL* left, const REAL* row_scale, REAL* partial)
{
    // Slices of the same entries follow each other, so that the entries are in the cache.
    const int slice = blockIdx.x % n_slices;
    const int part = (blockIdx.x / n_slices) % n_parts;
    const int panel = blockIdx.x / n_slices / n_parts;
    const int first_row = panel * PANEL;
#if SHARED
    extern __shared__ __align__(16) unsigned char memory[];
    REAL* source = reinterpret_cast<REAL*>(memory);
    const int height = n_rows - first_row < PANEL ? n_rows - first_row : PANEL;
    copy_slice(
        left + offset_t(first_row) * width, row_scale + first_row, width, slice * SLICE, height,
        source);
    __syncthreads();
#else
    const REAL* source = left + (offset_t(slice) * n_rows + first_row) * SLICE;
#endif
    const offset_t begin = panel_begins[panel];
    starts += offset_t(panel) * (n_columns + 1);
    bounds += panel * KINDS * (n_parts + 1) + part;
    REAL* out = partial + (offset_t(panel) * n_slices + slice) * n_columns * SLICE;
    int first[KINDS], last[KINDS];
#pragma unroll
    for (int kind = 0; kind < KINDS; kind++) {
        first[kind] = bounds[kind * (n_parts + 1)];
        last[kind] = bounds[kind * (n_parts + 1) + 1];
    }
    sum_huge_segments(data, rows, begin, starts, first[0], last[0], source, out);
    sum_segments<32>(data, rows, begin, starts, first[1], last[1], source, out);
    sum_segments<MEDIUM_LANES>(data, rows, begin, starts, first[2], last[2], source, out);
    sum_segments<OWNERS>(data, rows, begin, starts, first[3], last[3], source, out);
}
