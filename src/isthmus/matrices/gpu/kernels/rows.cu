// Passes over the rows of the documents. LANES threads share a row.

// The product of one row with a table; every lane gets it.
__device__ __forceinline__ void row_product(
    const REAL* data, const INDEX* indices, offset_t begin, offset_t end, int lane,
    const REAL* table, REAL* sums)
{
#pragma unroll
    for (int z = 0; z < WIDTH; z++) sums[z] = 0;
    add_entries<LANES, WIDTH, WIDTH, false>(data, indices, begin, end, lane, table, sums);
    sum_over_lanes<LANES, WIDTH>(sums);
}

// out = row_scale * (X @ table)
extern "C" __global__ void times_rows(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const REAL* row_scale, const REAL* table, REAL* out)
{
    const int row = int((offset_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES);
    const int lane = threadIdx.x % LANES;
    const bool exists = row < n_rows;
    const offset_t begin = exists ? indptr[row] : 0, end = exists ? indptr[row + 1] : 0;
    REAL sums[WIDTH];
    row_product(data, indices, begin, end, lane, table, sums);
    if (exists && lane == 0) {
#pragma unroll
        for (int z = 0; z < WIDTH; z++) out[offset_t(row) * WIDTH + z] = sums[z] * row_scale[row];
    }
}

// The multiplicative update of one row of the memberships; returns whether its class changed.
__device__ __forceinline__ bool update_row(
    REAL* sums, offset_t row, const REAL* gram, REAL* memberships, const REAL* anchor,
    const REAL* pull, int normalize, REAL tiny, REAL smallest)
{
    REAL old[WIDTH], moved[WIDTH], total = 0;
    const REAL weight = pull == nullptr ? REAL(0) : pull[row];
    load_row<WIDTH>(memberships + row * WIDTH, old);
#pragma unroll
    for (int y = 0; y < WIDTH; y++) {
        REAL below = weight * old[y], above = sums[y];
#pragma unroll
        for (int z = 0; z < WIDTH; z++) below += old[z] * gram[z * WIDTH + y];
        if (pull != nullptr)
            above += weight * (anchor == nullptr ? old[y] : anchor[row * WIDTH + y]);
        moved[y] = old[y] * sqrt(above / (below > tiny ? below : tiny));
        total += moved[y];
    }
    int before = 0, after = 0;
#pragma unroll
    for (int y = 0; y < WIDTH; y++) {
        if (normalize) {
            moved[y] = total > 0 ? moved[y] / total : REAL(0);
            moved[y] = moved[y] > smallest ? moved[y] : REAL(0);
        }
    }
    store_row<WIDTH>(moved, memberships + row * WIDTH);
#pragma unroll
    for (int y = 1; y < WIDTH; y++) {
        if (old[y] > old[before]) before = y;
        if (moved[y] > moved[after]) after = y;
    }
    return before != after;
}

// Adds the number of true flags of a warp to a counter; whole numbers may be added in any order.
__device__ __forceinline__ void count_changed(bool changed, int* counter) {
    const unsigned votes = __ballot_sync(0xffffffffu, changed);
    if (threadIdx.x % 32 == 0 && votes) atomicAdd(counter, __popc(votes));
}

// The fused row pass: product, update in place, number of rows whose largest class changed.
extern "C" __global__ void membership_rows(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const REAL* row_scale, const REAL* table, const REAL* gram, REAL* memberships,
    const REAL* anchor, const REAL* pull, const bool* fixed, int normalize, REAL tiny,
    REAL smallest, int* counter)
{
    const int row = int((offset_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES);
    const int lane = threadIdx.x % LANES;
    const bool moves = row < n_rows && !(fixed != nullptr && fixed[row]);
    const offset_t begin = moves ? indptr[row] : 0, end = moves ? indptr[row + 1] : 0;
    REAL sums[WIDTH];
    row_product(data, indices, begin, end, lane, table, sums);
    bool changed = false;
    if (moves && lane == 0) {
#pragma unroll
        for (int z = 0; z < WIDTH; z++) sums[z] *= row_scale[row];
        changed = update_row(
            sums, row, gram, memberships, anchor, pull, normalize, tiny, smallest);
    }
    count_changed(changed, counter);
}

// The update alone, for wide memberships whose products were computed before.
extern "C" __global__ void membership_update(
    int n_rows, const REAL* products, const REAL* gram, REAL* memberships, const REAL* anchor,
    const REAL* pull, const bool* fixed, int normalize, REAL tiny, REAL smallest, int* counter)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    bool changed = false;
    if (row < n_rows && !(fixed != nullptr && fixed[row])) {
        REAL sums[WIDTH];
        load_row<WIDTH>(products + offset_t(row) * WIDTH, sums);
        changed = update_row(
            sums, row, gram, memberships, anchor, pull, normalize, tiny, smallest);
    }
    count_changed(changed, counter);
}

// Sum and sum of squares of every row, in float64.
extern "C" __global__ void row_moments(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const REAL* row_scale, const REAL* column_scale, double* sums, double* squares)
{
    const int row = int((offset_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES);
    const int lane = threadIdx.x % LANES;
    const bool exists = row < n_rows;
    const offset_t begin = exists ? indptr[row] : 0, end = exists ? indptr[row + 1] : 0;
    double total = 0, square = 0;
    for (offset_t p = begin + lane; p < end; p += LANES) {
        double value = double(data[p]) * double(row_scale[row]);
        if (column_scale != nullptr) value *= double(column_scale[indices[p]]);
        total += value;
        square += value * value;
    }
#pragma unroll
    for (int step = LANES / 2; step > 0; step >>= 1) {
        total += __shfl_xor_sync(0xffffffffu, total, step);
        square += __shfl_xor_sync(0xffffffffu, square, step);
    }
    if (exists && lane == 0) {
        sums[row] = total;
        squares[row] = square;
    }
}

// Copies rows to the beginning of other arrays.
extern "C" __global__ void copy_rows(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* begins,
    const offset_t* new_indptr, REAL* new_data, INDEX* new_indices)
{
    const int row = int((offset_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES);
    if (row >= n_rows) return;
    const offset_t begin = begins[row], target = new_indptr[row];
    const offset_t length = new_indptr[row + 1] - target;
    for (offset_t p = threadIdx.x % LANES; p < length; p += LANES) {
        new_data[target + p] = data[begin + p];
        new_indices[target + p] = indices[begin + p];
    }
}
