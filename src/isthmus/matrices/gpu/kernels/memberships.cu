// The multiplicative update of wide memberships, whose products were computed before. LANES lanes
// share a row and own VECTOR columns each; a warp has GROUPS rows at a time.

#define PART (LANES * VECTOR)
#define GROUPS (32 / LANES)

// The columns of this lane in a row; zeros beyond its width. Whole vectors are aligned.
__device__ __forceinline__ void load_columns(const REAL* row, int column, int width, REAL* out) {
    if (width % VECTOR == 0 && column < width) {
        load_row<VECTOR>(row + column, out);
    } else {
#pragma unroll
        for (int z = 0; z < VECTOR; z++) out[z] = column + z < width ? row[column + z] : REAL(0);
    }
}

__device__ __forceinline__ void store_columns(const REAL* values, int column, int width, REAL* row) {
    if (width % VECTOR == 0 && column < width) {
        store_row<VECTOR>(values, row + column);
    } else {
#pragma unroll
        for (int z = 0; z < VECTOR; z++)
            if (column + z < width) row[column + z] = values[z];
    }
}

// The place of the largest of the values of all lanes of a group; the first of equal ones.
__device__ __forceinline__ int largest_column(const REAL* values, int column, int width) {
    REAL largest = column < width ? values[0] : REAL(-1);  // memberships are not negative
    int place = column;
#pragma unroll
    for (int z = 1; z < VECTOR; z++) {
        if (column + z < width && values[z] > largest) {
            largest = values[z];
            place = column + z;
        }
    }
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart >>= 1) {
        const REAL other = __shfl_xor_sync(0xffffffffu, largest, apart);
        const int other_place = __shfl_xor_sync(0xffffffffu, place, apart);
        if (other > largest || (other == largest && other_place < place)) {
            largest = other;
            place = other_place;
        }
    }
    return place;
}

// ``gram`` has PART rows and columns, filled up with zeros. The number of rows whose largest class
// changed is added to ``counter``.
extern "C" __global__ void __launch_bounds__(THREADS) membership_update(
    int n_rows, int width, const REAL* products, const REAL* gram, REAL* memberships,
    const REAL* anchor, const REAL* pull, const bool* fixed, int normalize, REAL tiny,
    REAL smallest, int* counter)
{
    __shared__ __align__(16) REAL rows_of_gram[PART * PART];
    for (int p = threadIdx.x; p < PART * PART; p += THREADS) rows_of_gram[p] = gram[p];
    __syncthreads();
    const int column = threadIdx.x % LANES * VECTOR;
    const offset_t n_warps = offset_t(gridDim.x) * (THREADS / 32);
    int n_changed = 0;
    for (offset_t warp = offset_t(blockIdx.x) * (THREADS / 32) + threadIdx.x / 32;
         warp * GROUPS < n_rows; warp += n_warps) {
        const offset_t row = warp * GROUPS + threadIdx.x % 32 / LANES;
        const bool moves = row < n_rows && !(fixed != nullptr && fixed[row]);
        const offset_t begin = row * width;
        REAL above[VECTOR], old[VECTOR], below[VECTOR], moved[VECTOR], total = 0;
#pragma unroll
        for (int z = 0; z < VECTOR; z++) above[z] = old[z] = below[z] = 0;
        if (moves) {
            load_columns(products + begin, column, width, above);
            load_columns(memberships + begin, column, width, old);
        }
        if (moves && pull != nullptr) {
            REAL target[VECTOR];
            load_columns((anchor == nullptr ? memberships : anchor) + begin, column, width, target);
#pragma unroll
            for (int z = 0; z < VECTOR; z++) {
                above[z] += pull[row] * target[z];
                below[z] = pull[row] * old[z];
            }
        }
#pragma unroll
        for (int owner = 0; owner < LANES; owner++) {
#pragma unroll
            for (int z = 0; z < VECTOR; z++) {
                const REAL value = __shfl_sync(0xffffffffu, old[z], owner, LANES);
                REAL weights[VECTOR];
                load_row<VECTOR>(rows_of_gram + (owner * VECTOR + z) * PART + column, weights);
#pragma unroll
                for (int y = 0; y < VECTOR; y++) below[y] += value * weights[y];
            }
        }
#pragma unroll
        for (int z = 0; z < VECTOR; z++) {
            moved[z] = old[z] * sqrt(above[z] / (below[z] > tiny ? below[z] : tiny));
            if (column + z >= width) moved[z] = 0;
            total += moved[z];
        }
        sum_over_lanes<LANES, 1>(&total);
        if (normalize) {
#pragma unroll
            for (int z = 0; z < VECTOR; z++) {
                moved[z] = total > 0 ? moved[z] / total : REAL(0);
                moved[z] = moved[z] > smallest ? moved[z] : REAL(0);
            }
        }
        const int before = largest_column(old, column, width);
        const int after = largest_column(moved, column, width);
        if (moves) {
            store_columns(moved, column, width, memberships + begin);
            n_changed += column == 0 && before != after;
        }
    }
    add_count(n_changed, counter);
}
