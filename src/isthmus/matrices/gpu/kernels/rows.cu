// Passes over the rows of the documents, with factors of few columns. LANES threads share a row. A
// warp takes 32 consecutive rows, 32 / LANES at a time; at the end every lane has the product of one
// row, so that all lanes work on what follows.

#define TOGETHER (32 / LANES)

// Blocks that a multiprocessor holds: the compiler limits the registers for them.
constexpr int RESIDENT = sizeof(REAL) == 4 ? 3 : 2;

// The products of the rows [first_row, first_row + 32) with a table. Every lane gets one of them and
// returns its row. Rows marked in ``fixed`` are not read.
template <class TABLE>
__device__ __forceinline__ int warp_products(
    int first_row, int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const bool* fixed, const TABLE& table, REAL* product)
{
    const int group = threadIdx.x % 32 / LANES, lane = threadIdx.x % LANES;
#pragma unroll
    for (int z = 0; z < WIDTH; z++) product[z] = 0;
    for (int step = 0; step < LANES; step++) {
        const int row = first_row + step * TOGETHER + group;
        const bool reads = row < n_rows && !(fixed != nullptr && fixed[row]);
        const offset_t begin = reads ? indptr[row] : 0, end = reads ? indptr[row + 1] : 0;
        REAL sums[WIDTH];
#pragma unroll
        for (int z = 0; z < WIDTH; z++) sums[z] = 0;
        add_entries<LANES, false, false>(data, indices, begin, end, lane, table, sums);
        sum_over_lanes<LANES, WIDTH>(sums);
#pragma unroll
        for (int z = 0; z < WIDTH; z++) product[z] = lane == step ? sums[z] : product[z];
    }
    return first_row + lane * TOGETHER + group;
}

typedef Table<WIDTH, WIDTH> Factor;

// out = row_scale * (X @ table)
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) times_rows(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const REAL* row_scale, const REAL* table, REAL* out)
{
    const Factor factor = {table};
    const offset_t step = offset_t(gridDim.x) * THREADS;
    for (offset_t first = offset_t(blockIdx.x) * THREADS + threadIdx.x / 32 * 32; first < n_rows;
         first += step) {
        REAL product[WIDTH];
        const int row =
            warp_products(int(first), n_rows, data, indices, indptr, nullptr, factor, product);
        if (row < n_rows) {
#pragma unroll
            for (int z = 0; z < WIDTH; z++) product[z] *= row_scale[row];
            store_row<WIDTH>(product, out + offset_t(row) * WIDTH);
        }
    }
}

// The multiplicative update of one row of the memberships; returns whether its class changed.
__device__ __forceinline__ bool update_row(
    const REAL* product, offset_t row, const REAL* gram, REAL* memberships, const REAL* anchor,
    const REAL* pull, int normalize, REAL tiny, REAL smallest)
{
    REAL old[WIDTH], moved[WIDTH], total = 0;
    const REAL weight = pull == nullptr ? REAL(0) : pull[row];
    load_row<WIDTH>(memberships + row * WIDTH, old);
#pragma unroll
    for (int y = 0; y < WIDTH; y++) {
        REAL below = weight * old[y], above = product[y];
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

// The fused row pass: product, update in place, number of rows whose largest class changed.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) membership_rows(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const REAL* row_scale, const REAL* table, const REAL* gram, REAL* memberships,
    const REAL* anchor, const REAL* pull, const bool* fixed, int normalize, REAL tiny,
    REAL smallest, int* counter)
{
    const Factor factor = {table};
    const offset_t step = offset_t(gridDim.x) * THREADS;
    int n_changed = 0;
    for (offset_t first = offset_t(blockIdx.x) * THREADS + threadIdx.x / 32 * 32; first < n_rows;
         first += step) {
        REAL product[WIDTH];
        const int row =
            warp_products(int(first), n_rows, data, indices, indptr, fixed, factor, product);
        if (row < n_rows && !(fixed != nullptr && fixed[row])) {
#pragma unroll
            for (int z = 0; z < WIDTH; z++) product[z] *= row_scale[row];
            n_changed += update_row(
                product, row, gram, memberships, anchor, pull, normalize, tiny, smallest);
        }
    }
    add_count(n_changed, counter);
}
