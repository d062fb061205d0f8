"""
Many documents: time, memory and files
======================================

How long will a million documents take? This example measures a few thousand to 32,000 generated
ones, from CSV files to labels, and shows that time grows in proportion to their number. It also
shows what happens if the counts of words are larger than the memory that they may use: they are
kept on the disk, and are the same.
"""

# %%
# Documents in files
# ------------------
# :class:`isthmus.TextFiles` is a file, a folder or a pattern of files that are read as a stream,
# so that texts are never all in memory. The generated reviews are drawn from 2,000 different
# ones. Everything is written to a temporary folder, which is removed at the end.
import csv
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator

from isthmus import TextFiles, TextVectorizer, Transfer, config_context
from isthmus.datasets import make_corpus

corpus = make_corpus(n_source=1000, n_target=1000)
folder = tempfile.TemporaryDirectory()


def write_reviews(name, texts, labels, count):
    """Write a CSV file of reviews in random order, with repetitions; returns its path."""
    path = Path(folder.name, f"{name}-{count}.csv")
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["text", "label"])
        chosen = np.random.default_rng(0).integers(len(texts), size=count)
        rows.writerows((texts[i], labels[i]) for i in chosen)
    return path


COUNTS = (2_000, 4_000, 8_000, 16_000, 32_000)  # half source, half target
files = {
    count: (
        TextFiles(write_reviews("books", corpus.source_texts, corpus.source_labels, count // 2)),
        TextFiles(write_reviews("kitchen", corpus.target_texts, corpus.target_labels, count // 2)),
    )
    for count in COUNTS
}

# %%
# Time
# ----
# ``stage_seconds_`` tells where the time went. The method is :class:`isthmus.CoCC`, one of the
# fastest. The first fits are not measured, because they load and compile parts of the package. Of
# two fits, the faster one counts.
READING = ("reading the texts", "counting words", "selecting terms", "weighting")


def fit_seconds(count):
    """Seconds for reading and counting, and for everything, from files to labels."""
    source, target = files[count]
    model = Transfer("cocc", verdict=False).fit(source, target_texts=target)
    seconds = model.stage_seconds_
    return sum(seconds[stage] for stage in READING), sum(seconds.values())


for _ in range(2):
    fit_seconds(8_000)
times = np.array([min((fit_seconds(count) for _ in range(2)), key=sum) for count in COUNTS])
for count, (_, seconds) in zip(COUNTS, times, strict=True):
    print(f"{count:6,} documents: {seconds:.2f} s, {1e6 * seconds / count:.0f} s per million")

# %%
# Memory
# ------
# A matrix of counts takes 8 bytes per different word of a document. ``max_memory`` limits what is
# kept in memory, here to the smallest number that is allowed. Counts that are larger go to
# temporary files (in ``scratch_folder``, if that is set), which are mapped to memory; the system
# reads and drops them as needed.
LIMIT = 10_000_000


def count_words(count, max_memory):
    """Count the words of this many reviews; returns the matrix."""
    texts = corpus.source_texts + corpus.target_texts
    chosen = np.random.default_rng(0).integers(len(texts), size=count)
    with config_context(max_memory=max_memory):
        return TextVectorizer().fit_transform(texts[i] for i in chosen)


def is_on_disk(matrix):
    """Whether the values of a matrix are a mapped file."""
    values = matrix.data
    while values is not None and not isinstance(values, np.memmap):
        values = getattr(values, "base", None)
    return values is not None


sizes, on_disk = [], []
for count in (10_000, 20_000, 40_000, 80_000):
    matrix = count_words(count, LIMIT)
    sizes.append((count, 8 * matrix.nnz / 1e6))
    on_disk.append(is_on_disk(matrix))
    print(
        f"{count:6,} documents: {sizes[-1][1]:4.1f} MB", "on disk" if on_disk[-1] else "in memory"
    )

in_memory = count_words(80_000, "auto")
print("The same matrix in memory and on the disk:", abs(in_memory - matrix).max() == 0)

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
fig.suptitle(
    "Time of a fit from CSV files, and size of the counts of words, by number of documents"
)
axes[0].loglog(COUNTS, times[:, 1], color="C0", marker="o", label="everything")
axes[0].loglog(COUNTS, times[:, 0], color="C1", marker="s", label="reading and counting words")
proportional = times[-1, 1] * np.array(COUNTS) / COUNTS[-1]
axes[0].loglog(COUNTS, proportional, color="0.4", linestyle="dashed", label="proportional")
axes[0].set_xticks(COUNTS, [f"{count:,}" for count in COUNTS])
axes[0].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
axes[0].yaxis.set_major_formatter("{x:g}")
axes[0].minorticks_off()
axes[0].set(title="time, both axes logarithmic", xlabel="documents", ylabel="seconds")
axes[0].grid(alpha=0.3)
axes[0].legend(loc="upper left")
colors = ["C2" if disk else "C0" for disk in on_disk]
axes[1].bar(range(len(sizes)), [size for _, size in sizes], color=colors)
axes[1].axhline(LIMIT / 1e6, color="black", linestyle="dashed", label="max_memory (10 MB)")
axes[1].set_xticks(range(len(sizes)), [f"{count:,}" for count, _ in sizes])
axes[1].set(title="counts of words (blue: in memory, green: on disk)", xlabel="documents")
axes[1].set_ylabel("size of the matrix, MB")
axes[1].legend()
plt.show()
folder.cleanup()

# %%
# A fixed cost weighs on the small corpora; then the time is proportional to the number of
# documents. The seconds are those of the machine that built this page, with one method and short
# reviews. :doc:`/guides/scale` has runs with 5 million documents, and says when a cluster or a
# GPU pays.
