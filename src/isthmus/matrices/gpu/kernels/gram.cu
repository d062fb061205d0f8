// left.T @ right for factors with few columns, in float64. Every block sums a fixed range of rows.
// The block that ends last adds the sums of all blocks, in their order.

// The sum of row products of a pair of columns, for every step-th row of a range.
__device__ __forceinline__ double pair_sum(
    const REAL* left, const REAL* right, offset_t first, offset_t last, int step, int pair)
{
    const int a = pair / RIGHT, b = pair % RIGHT;
    double total = 0;
    for (offset_t row = first; row < last; row += step)
        total += double(left[row * LEFT + a]) * double(right[row * RIGHT + b]);
    return total;
}

extern "C" __global__ void __launch_bounds__(256) gram_rows(
    offset_t n_rows, offset_t rows_per_block, const REAL* left, const REAL* right, double* partial,
    unsigned* n_ready, double* out)
{
    const int n_pairs = LEFT * RIGHT;
    const offset_t first = blockIdx.x * rows_per_block;
    const offset_t last = first + rows_per_block < n_rows ? first + rows_per_block : n_rows;
    double* sums_of_block = partial + offset_t(blockIdx.x) * n_pairs;
    __shared__ double sums[256];
    // Several threads share a pair of columns; each has every n-th row.
    const int sharing = n_pairs <= 256 ? 256 / n_pairs : 1;
    for (int begin = 0; begin < n_pairs; begin += 256) {
        const int at_once = n_pairs - begin < 256 ? n_pairs - begin : 256;
        const int pair = begin + threadIdx.x % at_once, turn = threadIdx.x / at_once;
        double total = 0;
        if (turn < sharing) total = pair_sum(left, right, first + turn, last, sharing, pair);
        sums[threadIdx.x] = total;
        __syncthreads();
        if (turn == 0) {
            for (int other = 1; other < sharing; other++)
                total += sums[threadIdx.x + other * at_once];
            sums_of_block[pair] = total;
        }
        __syncthreads();
    }
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(n_ready, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    // Again several threads share a pair, now with every n-th block.
    for (int begin = 0; begin < n_pairs; begin += 256) {
        const int at_once = n_pairs - begin < 256 ? n_pairs - begin : 256;
        const int pair = begin + threadIdx.x % at_once, turn = threadIdx.x / at_once;
        double total = 0;
        if (turn < sharing)
#pragma unroll 8
            for (int block = turn; block < gridDim.x; block += sharing)
                total += __ldcg(partial + offset_t(block) * n_pairs + pair);
        sums[threadIdx.x] = total;
        __syncthreads();
        if (turn == 0) {
            for (int other = 1; other < sharing; other++)
                total += sums[threadIdx.x + other * at_once];
            out[pair] = total;
        }
        __syncthreads();
    }
}
