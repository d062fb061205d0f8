// Products of rows with a table of many columns. A warp shares a row: LANES neighboring lanes read
// the row of the table of one entry, VECTOR columns each, and 32 / LANES groups of lanes take four
// entries at a time. WIDTH, the columns of the table, is a multiple of PART; blockIdx.y counts the
// parts.
//
// A warp takes 32 / LANES rows one after the other. At the end every group has the product of one
// row, so that all lanes write.

#define PART (LANES * VECTOR)
#define GROUPS (32 / LANES)

// Blocks that a multiprocessor holds: the compiler limits the registers for them.
constexpr int RESIDENT = sizeof(REAL) == 4 ? 3 : 2;

// Every group gets the product of one of the rows [first_row, first_row + GROUPS), and every lane
// VECTOR columns of it.
template <class TABLE>
__device__ __forceinline__ void warp_products(
    int first_row, int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const TABLE& table, REAL* product)
{
    const int group = threadIdx.x % 32 / LANES;
#pragma unroll
    for (int z = 0; z < VECTOR; z++) product[z] = 0;
    for (int step = 0; step < GROUPS; step++) {
        const int row = first_row + step;
        const bool exists = row < n_rows;
        const offset_t begin = exists ? indptr[row] : 0, end = exists ? indptr[row + 1] : 0;
        REAL sums[VECTOR];
#pragma unroll
        for (int z = 0; z < VECTOR; z++) sums[z] = 0;
        add_entries<GROUPS, false, true>(data, indices, begin, end, group, table, sums);
#pragma unroll
        for (int apart = 16; apart >= LANES; apart >>= 1) {
#pragma unroll
            for (int z = 0; z < VECTOR; z++)
                sums[z] += __shfl_xor_sync(0xffffffffu, sums[z], apart);
        }
#pragma unroll
        for (int z = 0; z < VECTOR; z++) product[z] = group == step ? sums[z] : product[z];
    }
}

typedef Table<VECTOR, WIDTH> Factor;

// out = row_scale * (X @ table), the first ``width`` columns.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) times_wide_rows(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const REAL* row_scale, const REAL* table, int width, REAL* out)
{
    const int column = blockIdx.y * PART + threadIdx.x % LANES * VECTOR;
    const Factor factor = {table + column};
    const offset_t n_warps = offset_t(gridDim.x) * (THREADS / 32);
    for (offset_t warp = offset_t(blockIdx.x) * (THREADS / 32) + threadIdx.x / 32;
         warp * GROUPS < n_rows; warp += n_warps) {
        REAL product[VECTOR];
        const int first = int(warp * GROUPS), row = first + threadIdx.x % 32 / LANES;
        warp_products(first, n_rows, data, indices, indptr, factor, product);
        if (row < n_rows) {
#pragma unroll
            for (int z = 0; z < VECTOR; z++)
                if (column + z < width)
                    out[offset_t(row) * width + column + z] = product[z] * row_scale[row];
        }
    }
}
