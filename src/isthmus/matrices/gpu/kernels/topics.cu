// The Kullback-Leibler step of PLSA. A warp shares a document (or a segment of a column); every
// lane holds REGISTERS of the WIDTH topics. WIDTH is at most 32 * REGISTERS.

__device__ __forceinline__ void load_topics(const REAL* row, int lane, REAL* out) {
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) {
        const int z = lane + 32 * r;
        out[r] = z < WIDTH ? row[z] : REAL(0);
    }
}

__device__ __forceinline__ REAL dot_over_warp(const REAL* one, const REAL* other) {
    REAL total = 0;
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) total += one[r] * other[r];
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) total += __shfl_xor_sync(0xffffffffu, total, step);
    return total;
}

// The new mixtures of some documents, and their log-likelihood before the step.
extern "C" __global__ void topic_rows(
    int n_rows, const REAL* data, const INDEX* indices, const offset_t* indptr,
    const REAL* row_scale, const REAL* column_scale, const REAL* topics, const REAL* mixtures,
    REAL* updated, double* log_likelihoods, REAL smallest)
{
    const int row = int((offset_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32);
    const int lane = threadIdx.x % 32;
    if (row >= n_rows) return;  // whole warps
    REAL mixture[REGISTERS], sums[REGISTERS];
    load_topics(mixtures + offset_t(row) * WIDTH, lane, mixture);
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) sums[r] = 0;
    double log_likelihood = 0;
    for (offset_t p = indptr[row]; p < indptr[row + 1]; p++) {
        const int term = indices[p];
        REAL topic[REGISTERS];
        load_topics(topics + offset_t(term) * WIDTH, lane, topic);
        const REAL expected = dot_over_warp(mixture, topic);
        REAL value = data[p] * row_scale[row];
        if (column_scale != nullptr) value *= column_scale[term];
        if (!(value > 0 && expected > 0)) continue;  // the same for all lanes
        const REAL ratio = value / expected;
        if (log_likelihoods != nullptr)
            log_likelihood += double(ratio) * double(expected) * log(double(expected));
#pragma unroll
        for (int r = 0; r < REGISTERS; r++) sums[r] += ratio * topic[r];
    }
    REAL total = 0;
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) {
        sums[r] *= mixture[r];
        total += sums[r];
    }
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) total += __shfl_xor_sync(0xffffffffu, total, step);
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) {
        const int z = lane + 32 * r;
        const REAL share = total > 0 ? sums[r] / total : REAL(0);
        if (z < WIDTH) updated[offset_t(row) * WIDTH + z] = share > smallest ? share : REAL(0);
    }
    if (lane == 0 && log_likelihoods != nullptr) log_likelihoods[row] = log_likelihood;
}

// The word side: for every segment (panel, column) the sum of ratio * mixture over its documents,
// with the mixtures before the step.
extern "C" __global__ void topic_segments(
    int n_columns, int first_panel, int n_panels, const REAL* data, const row_t* rows,
    const offset_t* panel_begins, const unsigned* starts, const REAL* row_scale,
    const REAL* column_scale, const REAL* topics, const REAL* mixtures, REAL* partial)
{
    const offset_t segment = (offset_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (segment >= offset_t(n_panels) * n_columns) return;  // whole warps
    const int panel = first_panel + int(segment / n_columns), column = int(segment % n_columns);
    const unsigned* ends = starts + offset_t(panel) * (n_columns + 1) + column;
    const offset_t begin = panel_begins[panel] + ends[0], end = panel_begins[panel] + ends[1];
    const offset_t first_row = offset_t(panel) * PANEL;
    REAL topic[REGISTERS], sums[REGISTERS];
    load_topics(topics + offset_t(column) * WIDTH, lane, topic);
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) sums[r] = 0;
    for (offset_t p = begin; p < end; p++) {
        const offset_t row = first_row + rows[p];
        REAL mixture[REGISTERS];
        load_topics(mixtures + row * WIDTH, lane, mixture);
        const REAL expected = dot_over_warp(mixture, topic);
        REAL value = data[p] * row_scale[row];
        if (column_scale != nullptr) value *= column_scale[column];
        const REAL ratio = value > 0 && expected > 0 ? value / expected : REAL(0);
#pragma unroll
        for (int r = 0; r < REGISTERS; r++) sums[r] += ratio * mixture[r];
    }
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) {
        const int z = lane + 32 * r;
        if (z < WIDTH) partial[segment * WIDTH + z] = sums[r];
    }
}
