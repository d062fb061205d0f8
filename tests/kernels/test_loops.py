"""The compiled and the plain version of every loop give the same results."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.kernels import conventions, loops
from isthmus.kernels.dispatch import read_only

N_ROWS, N_TERMS = 30, 40
# Constant widths; few columns, whole registers, and every length of the vector at the end of a row;
# more than one block of registers.
WIDTHS = [2, 5, 8, 9, 13, 16, 17, 23, 31, 32, 33, 50, 64, 67, 70, 130]
TYPES = [("float32", "int32"), ("float64", "int32"), ("float32", "int64")]
CASES = [(width, "float32", "int32") for width in WIDTHS]
CASES += [(width, "float64", "int32") for width in (2, 7, 70)]
# Loops over documents: a column, and a constant width of two blocks.
ONE_COLUMN, TWO_BLOCKS = (1, "float32", "int32"), (50, "float64", "int32")
# Constant widths share their code, so not all of them need a variant in tests.
SHARED = sorted({*range(301)} - (conventions.CONSTANT_SIZES - {*WIDTHS}))


class Matrix:
    """A CSR matrix with an empty row, a row scale, and indptr beginning above zero."""

    def __init__(self, real: str, index: str) -> None:
        self.generator = np.random.default_rng(3)
        dense = self.generator.random((N_ROWS, N_TERMS))
        dense *= self.generator.random(dense.shape) < 0.3
        dense[7] = 0
        X = sparse.csr_array(dense[2:])
        before = np.zeros(5)
        self.scale = self.numbers(N_ROWS - 2, real=real)[:, 0]
        self.arrays = (
            read_only(np.concatenate([before, X.data]).astype(real)),
            read_only(np.concatenate([before, X.indices]).astype(index)),
            read_only(X.indptr.astype(np.int64) + len(before)),
            read_only(self.scale),
        )
        self.n_rows = X.shape[0]
        self.n_stored = X.nnz

    def numbers(self, n_rows: int, width: int = 1, real: str = "float64"):
        return (self.generator.random((n_rows, width)) + 0.1).astype(real)


def both_versions(kernel, monkeypatch, width, real, index="int32"):
    for setting in ("always", "never"):
        monkeypatch.setenv("ISTHMUS_COMPILE", setting)
        yield kernel.choose(width, 1, real, index, repeated=True)


def assert_same(results, real):
    compiled, plain = results
    tolerance = 2e-4 if real == "float32" else 1e-11
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("width", "real", "index"), [*CASES, ONE_COLUMN, TWO_BLOCKS, (3, "float32", "int64")]
)
def test_products(monkeypatch, width, real, index):
    matrix = Matrix(real, index)
    right = read_only(matrix.numbers(N_TERMS, width, real))
    left = read_only(matrix.numbers(matrix.n_rows, width, real))
    results = []
    versions = zip(
        both_versions(loops.times, monkeypatch, width, real, index),
        both_versions(loops.scattered, monkeypatch, width, real, index),
        strict=True,
    )
    for times, scattered in versions:
        across = np.zeros((matrix.n_rows, width), real)
        times(*matrix.arrays, right, across, 3, matrix.n_rows)
        down = np.zeros((N_TERMS, width), real)
        for terms in ((0, 11), (11, 12), (12, N_TERMS)):
            scattered(*matrix.arrays, left, down, 0, matrix.n_rows, *terms)
        results.append((across, down))
    assert (results[0][0][:3] == 0).all()
    assert_same(results, real)


@pytest.mark.parametrize(("width", "real", "index"), [*CASES, ONE_COLUMN, TWO_BLOCKS])
@pytest.mark.parametrize("normalize", [True, False])
def test_membership_rows(monkeypatch, width, real, index, normalize):
    matrix = Matrix(real, index)
    profiles = read_only(matrix.numbers(N_TERMS, width, real))
    gram = read_only(profiles.T @ profiles)
    start = matrix.numbers(matrix.n_rows, width, real)
    anchor = read_only(matrix.numbers(matrix.n_rows, width, real))
    pull = matrix.numbers(matrix.n_rows, real=real)[:, 0]
    pull[::2] = 0
    fixed = read_only(matrix.generator.random(matrix.n_rows) < 0.3)
    results, changes = [], []
    for loop in both_versions(loops.membership_rows, monkeypatch, width, real, index):
        moved, products = start.copy(), np.zeros((N_TERMS, width), real)
        new_gram = np.zeros((width, width))
        rows = (1, matrix.n_rows)
        arguments = (profiles, gram, moved, anchor, read_only(pull), fixed, normalize)
        changes.append(loop(*matrix.arrays, *arguments, products, new_gram, *rows))
        np.testing.assert_array_equal(moved[fixed], start[fixed])
        np.testing.assert_array_equal(moved[0], start[0])
        results.append((moved, products, np.tril(new_gram)))
    assert_same(results, real)
    assert changes[0] == changes[1]


@pytest.mark.parametrize(("width", "real", "index"), [*CASES, TWO_BLOCKS])
def test_topic_rows(monkeypatch, width, real, index):
    matrix = Matrix(real, index)
    mixtures = read_only(matrix.numbers(matrix.n_rows, width, real))
    topics = matrix.numbers(N_TERMS, width, real)
    topics[3] = 0  # a term without a topic
    columns = read_only(matrix.numbers(N_TERMS, real=real)[:, 0])
    results = []
    for loop in both_versions(loops.topic_rows, monkeypatch, width, real, index):
        expected, ratios = np.empty((2, matrix.n_stored), real)
        out = np.empty((matrix.n_rows, width), real)
        loop(
            *matrix.arrays, columns, mixtures, read_only(topics), expected, ratios, out,
            0, matrix.n_rows,
        )  # fmt: skip
        results.append((expected, ratios, out))
    assert_same(results, real)
    assert np.isfinite(results[0][2]).all()


@pytest.mark.parametrize(("real", "index"), TYPES)
def test_row_moments(monkeypatch, real, index):
    matrix = Matrix(real, index)
    columns = read_only(matrix.numbers(N_TERMS, real=real)[:, 0])
    results = []
    for loop in both_versions(loops.row_moments, monkeypatch, 0, real, index):
        sums, squares = np.zeros((2, matrix.n_rows))
        loop(*matrix.arrays, columns, sums, squares, 0, matrix.n_rows)
        results.append((sums, squares))
    assert_same(results, real)


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("width", [1, *WIDTHS])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("pulled", [True, False])
def test_word_rows(monkeypatch, width, real, normalize, pulled):
    generator = np.random.default_rng(1)
    n_classes = 3
    F, P, products, S, weighted = (
        (generator.random(shape) + 0.1).astype(real)
        for shape in ((9, width), (9, n_classes), (9, n_classes), *2 * [(n_classes, width)])
    )
    products[4] = 0
    anchor = generator.random((9, width)).astype(real)
    pull = (generator.integers(0, 2, 9) * pulled).astype(real)
    pull[4] = 0
    results = []
    names = ("word_rows", "cluster_products", "profile_rows")
    for setting in ("always", "never"):
        monkeypatch.setenv("ISTHMUS_COMPILE", setting)
        step, use_of, read = (
            getattr(loops, name).choose(width, 1, real, repeated=True) for name in names
        )
        clusters, profiles, sums = F.copy(), P.copy(), np.zeros((n_classes, width), real)
        fixed = tuple(map(read_only, (products, S, weighted, anchor, pull)))
        step(clusters, profiles, *fixed, normalize, sums, 0, 9)
        other_sums = np.zeros((n_classes, width), real)
        use_of(read_only(clusters), fixed[0], other_sums, 0, 9)
        gram, again = np.zeros((n_classes, n_classes)), np.zeros((9, n_classes), real)
        overlap = read(read_only(clusters), fixed[1], fixed[0], again, gram, 0, 9)
        assert not clusters[4].any()
        results.append((clusters, profiles, sums, other_sums, again, np.tril(gram), overlap))
    assert_same(results, real)


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("width", [1, *WIDTHS])
def test_topic_update(monkeypatch, width, real):
    generator = np.random.default_rng(1)
    start = generator.random((9, width)).astype(real)
    start[2] = 1e-300 if real == "float64" else 1e-30  # the square is subnormal
    word_side = read_only(generator.random((9, width)).astype(real))
    scale = read_only(np.full((1, width), 0.5, real))
    results = []
    for setting in ("always", "never"):
        monkeypatch.setenv("ISTHMUS_COMPILE", setting)
        count = loops.topic_counts.choose(width, 1, real, repeated=True)
        divide = loops.scale_topics.choose(width, 1, real, repeated=True)
        topics, totals = start.copy(), np.zeros((1, width))
        count(topics, word_side, totals, 0, 9)
        divide(topics, scale, 0, 9)
        assert not topics[2].any()
        results.append((topics, totals))
    assert_same(results, real)


def products_of_any_width(monkeypatch, width, real):
    """Both products of a matrix by the compiled loops, and exactly."""
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    matrix = Matrix(real, "int32")
    right, left = matrix.numbers(N_TERMS, width, real), matrix.numbers(matrix.n_rows, width, real)
    data, indices, indptr, scale = matrix.arrays
    shape = (matrix.n_rows, N_TERMS)
    X = sparse.csr_array((data[5:], indices[5:], indptr - 5), shape=shape).toarray()
    X = X * scale[:, None].astype(float)
    # The memory around the results must not change.
    across, down = (
        np.full((matrix.n_rows + 2, width), 7, real),
        np.zeros((N_TERMS + 2, width), real),
    )
    times = loops.times.choose(width, 1, real, repeated=True)
    times(*matrix.arrays, read_only(right), across[1:-1], 0, matrix.n_rows)
    scattered = loops.scattered.choose(width, 1, real, repeated=True)
    rows = (0, matrix.n_rows, 0, N_TERMS)
    scattered(*matrix.arrays, read_only(left), down[1:-1], *rows)
    assert (across[[0, -1]] == 7).all()
    assert not down[[0, -1]].any()
    return (across[1:-1], X @ right), (down[1:-1], X.T @ left)


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_products_of_all_widths(monkeypatch, real):
    tolerance = 2e-5 if real == "float32" else 1e-12
    for width in SHARED:
        for computed, exact in products_of_any_width(monkeypatch, width, real):
            np.testing.assert_allclose(computed, exact, rtol=tolerance, err_msg=f"{width} columns")


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_few_variants_process_all_widths(real):
    n_bytes = np.dtype(real).itemsize
    n_variants = {"document_size": 11, "word_size": 5, "word_sum_size": 3}
    for name, n_expected in n_variants.items():
        size_of = getattr(conventions, name)
        sizes = [size_of(width, n_bytes) for width in range(300)]
        assert len(set(sizes)) <= n_expected
        for width, size in enumerate(sizes):
            assert size >= min(width, 512 // n_bytes - 1)
            assert size == width or size not in conventions.CONSTANT_SIZES
            in_registers = size < 256 // n_bytes
            if name == "document_size" and size != width:
                assert not in_registers or width == 0 or conventions.least_width(size) <= width
                assert in_registers == (width < 256 // n_bytes)


def test_arguments_of_other_types_raise_an_error(monkeypatch):
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    loop = loops.cluster_products.choose(2, 1, np.float32, repeated=True)
    wrong = read_only(np.ones((3, 2), np.float64))
    with pytest.raises(TypeError, match="No matching definition"):
        loop(wrong, wrong, np.zeros((2, 2)), 0, 3)


@pytest.mark.parametrize("size", [1e20, 1.0, 1e-25])
@pytest.mark.parametrize("setting", ["always", "never"])
def test_sums_of_float32_are_computed_in_float64(monkeypatch, setting, size):
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)
    generator = np.random.default_rng(0)
    values = (size * (generator.random(9) + 0.1)).astype(np.float32)
    arrays = (
        read_only(values),
        read_only(np.arange(9, dtype=np.int32)),
        read_only(np.array([0, 4, 9])),
        read_only(np.ones(2, np.float32)),
    )
    sums, squares = np.zeros((2, 2))
    moments = loops.row_moments.choose(0, 1, np.float32, repeated=True)
    moments(*arrays, read_only(np.ones(9, np.float32)), sums, squares, 0, 2)
    exact = values.astype(np.float64)
    np.testing.assert_allclose(sums, [exact[:4].sum(), exact[4:].sum()], rtol=1e-14)
    np.testing.assert_allclose(
        squares, [(exact[:4] ** 2).sum(), (exact[4:] ** 2).sum()], rtol=1e-14
    )

    clusters = (size * (generator.random((9, 1)) + 0.1)).astype(np.float32)
    products = (size * (generator.random((9, 2)) + 0.1)).astype(np.float32)
    S = np.ones((2, 1), np.float32)
    profiles, gram = np.zeros((9, 2), np.float32), np.zeros((2, 2))
    read = loops.profile_rows.choose(1, 1, np.float32, repeated=True)
    overlap = read(*map(read_only, (clusters, S, products)), profiles, gram, 0, 9)
    precise = profiles.astype(np.float64)
    np.testing.assert_allclose(np.tril(gram), np.tril(precise.T @ precise), rtol=1e-14)
    np.testing.assert_allclose(overlap, (precise * products).sum(), rtol=1e-14)


def ngrams_of(word: str, shortest: int, longest: int) -> list[str]:
    return [
        word[begin:end]
        for begin in range(len(word) - shortest + 1)
        for end in range(begin + shortest, min(begin + longest, len(word)) + 1)
    ]


@pytest.mark.parametrize("ranges", [[(3, 5)] * 4, [(1, 2)] * 4, [(4, 4), (3, 5), (2, 3), (5, 5)]])
def test_ngram_numbers(monkeypatch, ranges):
    words = ["kettles", "kettle", "ttttt", "\U0010ffff" * 3 + "ettl"]
    codes = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32)
    starts = np.cumsum([0, *map(len, words)])
    expected = [ngrams_of(word, *range) for word, range in zip(words, ranges, strict=True)]
    pointers = np.cumsum([0, *map(len, expected)])
    shortest, longest = (np.array(limits) for limits in zip(*ranges, strict=True))
    for loop in both_versions(loops.ngram_numbers, monkeypatch, 1, "float32"):
        numbers = np.full(pointers[-1], -1, np.int32)
        arrays = map(read_only, (codes, starts, shortest, longest, pointers))
        n_ngrams = loop(*arrays, numbers, 0, len(words))
        strings = [ngram for ngrams in expected for ngram in ngrams]
        assert sorted(set(numbers.tolist())) == list(range(n_ngrams))
        assert (
            n_ngrams == len(set(strings)) == len(set(zip(numbers.tolist(), strings, strict=False)))
        )


def test_many_ngrams(monkeypatch):
    """More n-grams than the hash table has slots at first."""
    codes = np.random.default_rng(0).integers(0, 0x110000, 200_000).astype(np.uint32)
    starts, three = np.array([0, len(codes)]), np.array([3])
    pointers = np.array([0, len(codes) - 2])
    for loop in both_versions(loops.ngram_numbers, monkeypatch, 1, "float32"):
        numbers = np.empty(pointers[-1], np.int32)
        assert loop(codes, starts, three, three, pointers, numbers, 0, 1) == len(numbers)
        assert len(np.unique(numbers)) == len(numbers)


def test_ngram_counts(monkeypatch):
    matrix, index = Matrix("float32", "int32"), "int32"
    data, words, indptr, _ = matrix.arrays
    generator = np.random.default_rng(5)
    n_ngrams = 130
    # Some words have an n-gram twice, and one has none.
    pointers = np.concatenate([[0, 0], np.cumsum(generator.integers(1, 9, N_TERMS - 1))])
    ngrams = generator.integers(0, n_ngrams, pointers[-1]).astype(index)
    of_words = np.zeros((N_TERMS, n_ngrams))
    np.add.at(of_words, (np.repeat(np.arange(N_TERMS), np.diff(pointers)), ngrams), 1)
    counts = sparse.csr_array((data[5:], words[5:], indptr - 5), shape=(matrix.n_rows, N_TERMS))
    expected = counts.toarray() @ of_words
    first, last = 3, matrix.n_rows - 2
    document_frequencies = (expected[first:last] > 0).sum(axis=0)
    for loop in both_versions(loops.ngram_frequencies, monkeypatch, 1, "float32", index):
        frequencies = np.ones(n_ngrams, np.int64)
        loop(words, indptr, ngrams, pointers, frequencies, first, last)
        np.testing.assert_array_equal(frequencies, 1 + document_frequencies)
    for loop in both_versions(loops.ngram_counts, monkeypatch, 1, "float32", index):
        n_stored = document_frequencies.sum()
        values, columns = np.empty(n_stored, np.float32), np.empty(n_stored, index)
        ends = np.zeros(matrix.n_rows + 1, np.int64)
        loop(
            *(data, words, indptr, ngrams, pointers, n_ngrams),
            *(values, columns, ends, first, last),
        )
        rows = sparse.csr_array(
            (values, columns, ends[first : last + 1]), shape=(last - first, n_ngrams)
        )
        assert rows.has_canonical_format
        np.testing.assert_allclose(rows.toarray(), expected[first:last], rtol=1e-5)
