// out[order[column]] = column_scale * sum of the panels, in their order and in float64. ``width``
// columns are written from ``first_column`` on, or added with ``adds``; a row of out has ``stride``
// columns. The sums have ``size`` columns per slice.
extern "C" __global__ void add_panels(
    int n_panels, int n_columns, int n_slices, int size, int width, int first_column, int stride,
    int adds, const REAL* partial, const int* order, const REAL* column_scale, REAL* out)
{
    const offset_t place = offset_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (place >= offset_t(n_columns) * size) return;
    const int slice = blockIdx.y, column = int(place / size), z = slice * size + int(place % size);
    if (z >= width) return;
    const offset_t panel_size = offset_t(n_slices) * n_columns * size;
    partial += offset_t(slice) * n_columns * size + place;
    double total = 0;
#pragma unroll 8
    for (int panel = 0; panel < n_panels; panel++) total += partial[panel * panel_size];
    const int term = order[column];
    if (column_scale != nullptr) total *= double(column_scale[term]);
    REAL* sum = out + offset_t(term) * stride + first_column + z;
    *sum = REAL(adds ? *sum + total : total);
}
