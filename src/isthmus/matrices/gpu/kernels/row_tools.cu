// Small passes over the rows of the documents. LANES threads share a row.

// A factor in the order of the device's columns, times their scales, with columns of zeros added up
// to ``padded``.
extern "C" __global__ void gather_table(
    int n_terms, int width, int padded, const REAL* factor, const int* terms,
    const REAL* column_scale, REAL* out)
{
    const offset_t place = offset_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (place >= offset_t(n_terms) * padded) return;
    const int term = terms[place / padded], z = int(place % padded);
    REAL value = z < width ? factor[offset_t(term) * width + z] : REAL(0);
    if (column_scale != nullptr) value *= column_scale[term];
    out[place] = value;
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

// Adds the number of entries of every column to counts; whole numbers may be added in any order.
extern "C" __global__ void count_columns(offset_t n_entries, const INDEX* columns, unsigned* counts)
{
    const offset_t step = offset_t(gridDim.x) * blockDim.x;
    for (offset_t p = offset_t(blockIdx.x) * blockDim.x + threadIdx.x; p < n_entries; p += step)
        atomicAdd(counts + columns[p], 1u);
}
