// Products of rows with a table of many columns. A warp shares a row: LANES neighbouring lanes read
// the row of the table of one entry, VECTOR columns each, and 32 / LANES groups of lanes take four
// entries at a time. WIDTH is a multiple of LANES * VECTOR; blockIdx.y counts the parts.

#define PART (LANES * VECTOR)

extern "C" __global__ void times_wide_rows(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const REAL* row_scale, const REAL* table, REAL* out)
{
    const int row = int((offset_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32);
    const int lane = threadIdx.x % 32;
    if (row >= n_rows) return;  // whole warps
    const offset_t begin = indptr[row], end = indptr[row + 1];
    const int column = blockIdx.y * PART + (lane % LANES) * VECTOR;
    table += column;
    REAL sums[VECTOR];
#pragma unroll
    for (int z = 0; z < VECTOR; z++) sums[z] = 0;
    add_entries<32 / LANES, VECTOR, WIDTH, false>(
        data, indices, begin, end, lane / LANES, table, sums);
#pragma unroll
    for (int step = 16; step >= LANES; step >>= 1) {
#pragma unroll
        for (int z = 0; z < VECTOR; z++) sums[z] += __shfl_xor_sync(0xffffffffu, sums[z], step);
    }
    if (lane < LANES) {
#pragma unroll
        for (int z = 0; z < VECTOR; z++)
            out[offset_t(row) * WIDTH + column + z] = sums[z] * row_scale[row];
    }
}
