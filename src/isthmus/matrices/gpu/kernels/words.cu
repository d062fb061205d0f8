// One update of the word clusters in place, a thread per term: numerator, denominator, square root,
// row sum and the new profiles. CLUSTERS and CLASSES are small.

extern "C" __global__ void word_rows(
    int n_terms, REAL* clusters, REAL* profiles, const REAL* products, const REAL* associations,
    const REAL* weighted, const REAL* anchor, const REAL* pull, int normalize, REAL tiny,
    REAL smallest)
{
    const int term = blockIdx.x * blockDim.x + threadIdx.x;
    if (term >= n_terms) return;
    REAL f[CLUSTERS], product[CLASSES], profile[CLASSES], total = 0;
    load_row<CLUSTERS>(clusters + offset_t(term) * CLUSTERS, f);
    load_row<CLASSES>(products + offset_t(term) * CLASSES, product);
    load_row<CLASSES>(profiles + offset_t(term) * CLASSES, profile);
    const REAL strength = pull == nullptr ? REAL(0) : pull[term];
#pragma unroll
    for (int k = 0; k < CLUSTERS; k++) {
        REAL above = 0, below = tiny + strength * f[k];
#pragma unroll
        for (int y = 0; y < CLASSES; y++) {
            above += product[y] * associations[k * CLASSES + y];
            below += profile[y] * weighted[k * CLASSES + y];
        }
        if (strength > 0 && anchor != nullptr) above += anchor[offset_t(term) * CLUSTERS + k];
        f[k] *= sqrt(above / below);
        total += f[k];
    }
    if (normalize) {
#pragma unroll
        for (int k = 0; k < CLUSTERS; k++) {
            f[k] = total > 0 ? f[k] / total : REAL(0);
            f[k] = f[k] > smallest ? f[k] : REAL(0);
        }
    }
#pragma unroll
    for (int y = 0; y < CLASSES; y++) {
        profile[y] = 0;
#pragma unroll
        for (int k = 0; k < CLUSTERS; k++) profile[y] += f[k] * associations[k * CLASSES + y];
    }
    store_row<CLUSTERS>(f, clusters + offset_t(term) * CLUSTERS);
    store_row<CLASSES>(profile, profiles + offset_t(term) * CLASSES);
}
