// The copy of a matrix in panels: see layout.py. A chunk of rows is sorted by keys that number its
// panels and columns: a frequent column has a segment in every short panel of the chunk, any other
// column one segment in all rows of the chunk.

// The keys of all entries of a chunk, a warp per row.
extern "C" __global__ void segment_keys(
    int n_rows, int height, int n_frequent, int n_short, const INDEX* indices,
    const offset_t* indptr, int* keys)
{
    const int row = int((offset_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32);
    if (row >= n_rows) return;
    const offset_t begin = indptr[0];
    for (offset_t p = indptr[row] + threadIdx.x % 32; p < indptr[row + 1]; p += 32) {
        const int column = indices[p];
        keys[p - begin] = column < n_frequent ? row / height * n_frequent + column
                                              : (n_short - 1) * n_frequent + column;
    }
}

// Row numbers within their panel; the first *n_short_entries entries belong to short panels.
extern "C" __global__ void panel_rows(
    int n_entries, int height, const int* n_short_entries, const int* rows, row_t* out)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n_entries) out[p] = row_t(p < *n_short_entries ? rows[p] % height : rows[p]);
}

// bounds[panel][part]: columns that cut every panel into parts of about the same cost, which is the
// number of entries and ``segment_cost`` per segment.
extern "C" __global__ void part_bounds(
    int n_panels, int n_parts, int n_columns, int segment_cost, const unsigned* starts, int* bounds)
{
    const int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= n_panels * (n_parts + 1)) return;
    const int panel = place / (n_parts + 1), part = place % (n_parts + 1);
    starts += offset_t(panel) * (n_columns + 1);
    const offset_t total = starts[n_columns] + offset_t(segment_cost) * n_columns;
    const offset_t limit = total / n_parts * part;
    int low = 0, high = n_columns;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (starts[middle] + offset_t(segment_cost) * middle < limit) low = middle + 1;
        else high = middle;
    }
    bounds[place] = part == n_parts ? n_columns : low;
}
