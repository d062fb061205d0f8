"""
Which documents to check first
==============================

Every label has a confidence. This example keeps only the most certain labels and measures how
their accuracy rises, and it lets a person label the least certain documents first. On short
reviews, checking a quarter of them in this order corrects about twice as many errors as checking
a random quarter.
"""

# %%
# Short reviews
# -------------
# Only the first three sentences of every review are used, so that many reviews are hard to label.
import matplotlib.pyplot as plt
import numpy as np

from isthmus import Transfer
from isthmus.datasets import make_corpus


def shorten(text):
    """The first three sentences."""
    return ". ".join(text.split(". ")[:3])


corpus = make_corpus(n_source=600, n_target=600)
source_texts = [shorten(text) for text in corpus.source_texts]
target_texts = [shorten(text) for text in corpus.target_texts]
model = Transfer(effort="fast").fit(source_texts, corpus.source_labels, target_texts)
print(model.verdict_)

# %%
# The least certain documents
# ---------------------------
# :meth:`isthmus.Transfer.to_frame` has one row per document. "disputed" means that the
# source-only classifier or a member of the automatic method gives another label.
frame = model.to_frame()
frame["text"] = target_texts
frame.sort_values("confidence")[["label", "confidence", "disputed", "text"]].head(5)

# %%
# Keep the certain labels
# -----------------------
# ``labels_at`` leaves out labels below a confidence (so does ``min_confidence`` of ``predict``).
# The documents that keep a label are the coverage.
truth = np.array(corpus.target_labels)
for threshold in (0.7, 0.8, 0.9):
    labels = model.targets_["target"].labels_at(threshold)
    kept = np.array([label is not None for label in labels])
    print(f"confidence {threshold} and above: coverage {kept.mean():.0%}", end=", ")
    print(f"accuracy {np.mean(labels[kept] == truth[kept]):.0%}")

# %%
# The left picture shows the same for all thresholds, with the mean confidence of the kept labels.
# The automatic method scales confidences so that their mean is the estimated accuracy; both
# curves are close if that estimate is good. The right picture counts the errors that remain if a
# person checks documents, the least certain ones first or in random order.
confidence = model.targets_["target"].confidence
order = np.argsort(-confidence)  # the most certain document first
correct = (model.labels_ == truth)[order]
kept = np.arange(1, len(order) + 1)
coverage = 100 * kept / len(order)
n_errors = np.count_nonzero(~correct)
found = np.concatenate([[0], np.cumsum(~correct[::-1])])
checked = np.linspace(0, 100, len(found))

fig, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
fig.suptitle(
    "Confidence of 600 short reviews: accuracy by coverage, and errors left after checking"
)
axes[0].plot(coverage, 100 * np.cumsum(correct) / kept, color="C0", linewidth=2, label="accuracy")
axes[0].plot(
    coverage,
    100 * np.cumsum(confidence[order]) / kept,
    color="C1",
    linestyle="dashed",
    label="mean confidence",
)
axes[0].set(
    title="keep the most certain labels",
    xlabel="coverage: documents that keep their label, %",
    ylabel="accuracy or mean confidence of the kept labels, %",
    xlim=(5, 100),
    ylim=(75, 101),
)
axes[0].legend(loc="lower left")
axes[1].plot(checked, n_errors - found, color="C0", linewidth=2, label="least certain first")
axes[1].plot(
    [0, 100], [n_errors, 0], color="0.5", linestyle="dashed", label="random order (expected)"
)
axes[1].set(
    title="check and correct labels by hand",
    xlabel="documents checked, %",
    ylabel="wrong labels left",
    xlim=(0, 100),
    ylim=(0, None),
)
axes[1].legend(loc="upper right")
for ax in axes:
    ax.grid(alpha=0.3)
plt.show()

quarter = len(order) // 4
print(f"{found[quarter]} of {n_errors} errors are in the least certain quarter.")

# %%
# To *measure* the accuracy, draw a random sample instead: the least certain documents are the
# hardest ones. Hand labels can be given to the next fit, see
# :ref:`sphx_glr_gallery_plot_few_labels.py`. A confidence does not reveal swapped classes, where
# the most certain labels are wrong, too (:doc:`/guides/trust`).
