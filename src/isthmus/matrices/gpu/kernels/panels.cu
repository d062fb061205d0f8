// The copy of a matrix in panels: see panels.py. A chunk of rows is sorted by keys that number its
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

// bounds[panel][kind][part]: columns that cut every kind of segments of a panel into parts of about
// the same cost, which is the number of entries and ``segment_cost`` per segment. The columns of a
// kind are [kinds[kind], kinds[kind + 1]).
extern "C" __global__ void part_bounds(
    int n_panels, int n_kinds, int n_parts, int n_columns, int segment_cost, const int* kinds,
    const unsigned* starts, int* bounds)
{
    const int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= n_panels * n_kinds * (n_parts + 1)) return;
    const int part = place % (n_parts + 1), kind = place / (n_parts + 1) % n_kinds;
    starts += offset_t(place / (n_parts + 1) / n_kinds) * (n_columns + 1);
    const int first = kinds[kind], last = kinds[kind + 1];
    const offset_t before = starts[first] + offset_t(segment_cost) * first;
    const offset_t total = starts[last] + offset_t(segment_cost) * last - before;
    const offset_t limit = before + total * part / n_parts;
    int low = first, high = last;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (starts[middle] + offset_t(segment_cost) * middle < limit) low = middle + 1;
        else high = middle;
    }
    bounds[place] = part == n_parts ? last : low;
}
