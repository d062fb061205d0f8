// left.T @ right for factors with few columns, in float64. Every block sums a fixed range of rows;
// the sums of the blocks are added by the caller in their order.

extern "C" __global__ void __launch_bounds__(256) gram_rows(
    offset_t n_rows, offset_t rows_per_block, const REAL* left, const REAL* right, double* partial)
{
    const int n_pairs = LEFT * RIGHT;
    const offset_t first = blockIdx.x * rows_per_block;
    const offset_t last = first + rows_per_block < n_rows ? first + rows_per_block : n_rows;
    if (n_pairs <= 256) {
        // Several threads share a pair of columns; each has every n-th row.
        const int sharing = 256 / n_pairs;
        const int pair = threadIdx.x % n_pairs, turn = threadIdx.x / n_pairs;
        __shared__ double sums[256];
        double total = 0;
        if (turn < sharing) {
            const int a = pair / RIGHT, b = pair % RIGHT;
            for (offset_t row = first + turn; row < last; row += sharing)
                total += double(left[row * LEFT + a]) * double(right[row * RIGHT + b]);
        }
        sums[threadIdx.x] = total;
        __syncthreads();
        if (turn == 0) {
            for (int other = 1; other < sharing; other++) total += sums[pair + other * n_pairs];
            partial[offset_t(blockIdx.x) * n_pairs + pair] = total;
        }
    } else {
        for (int pair = threadIdx.x; pair < n_pairs; pair += 256) {
            const int a = pair / RIGHT, b = pair % RIGHT;
            double total = 0;
            for (offset_t row = first; row < last; row++)
                total += double(left[row * LEFT + a]) * double(right[row * RIGHT + b]);
            partial[offset_t(blockIdx.x) * n_pairs + pair] = total;
        }
    }
}
