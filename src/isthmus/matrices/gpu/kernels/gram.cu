// left.T @ right for factors with few columns, in float64. Every block sums a fixed range of rows.
// The block that ends last adds the sums of all blocks, in their order.

#define THREADS 256
#define PAIRS (LEFT * RIGHT)

// Several threads share a pair of columns, and each sums every SHARING-th item.
constexpr int SHARING = PAIRS <= THREADS ? THREADS / PAIRS : 1;

// For every pair of columns, the sum of item(pair, i) over i in [first, last). All threads of the
// block take part.
template <class ITEM>
__device__ __forceinline__ void sum_pairs(offset_t first, offset_t last, ITEM item, double* out) {
    __shared__ double sums[THREADS];
    for (int begin = 0; begin < PAIRS; begin += THREADS) {
        const int at_once = PAIRS - begin < THREADS ? PAIRS - begin : THREADS;
        const int pair = begin + threadIdx.x % at_once, turn = threadIdx.x / at_once;
        double total = 0;
        if (turn < SHARING)
#pragma unroll 8
            for (offset_t i = first + turn; i < last; i += SHARING) total += item(pair, i);
        sums[threadIdx.x] = total;
        __syncthreads();
        if (turn == 0) {
            for (int other = 1; other < SHARING; other++)
                total += sums[threadIdx.x + other * at_once];
            out[pair] = total;
        }
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gram_rows(
    offset_t n_rows, offset_t rows_per_block, const REAL* left, const REAL* right, double* partial,
    unsigned* n_ready, double* out)
{
    const offset_t first = blockIdx.x * rows_per_block;
    const offset_t last = first + rows_per_block < n_rows ? first + rows_per_block : n_rows;
    const auto row_product = [=](int pair, offset_t row) {
        return double(left[row * LEFT + pair / RIGHT]) * double(right[row * RIGHT + pair % RIGHT]);
    };
    sum_pairs(first, last, row_product, partial + offset_t(blockIdx.x) * PAIRS);
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(n_ready, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    const auto sum_of_block = [=](int pair, offset_t block) {
        return __ldcg(partial + block * PAIRS + pair);
    };
    sum_pairs(0, gridDim.x, sum_of_block, out);
}
