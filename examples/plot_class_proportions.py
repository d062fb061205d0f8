"""
Other class proportions in the target
=====================================

Half of the labeled book reviews are positive. How many of the kitchen reviews are is unknown.
This example varies their proportion from 10 to 90 % and compares the settings of ``class_prior``,
which states what is assumed about it. A wrong assumption costs more than none, and an estimate
can be wrong, too.
"""

# %%
# Kitchen reviews with a given proportion
# ---------------------------------------
import matplotlib.pyplot as plt
import numpy as np

from isthmus import Transfer
from isthmus.datasets import make_corpus

corpus = make_corpus()


def draw_target(share, count=200):
    """Kitchen reviews and their labels; ``share`` of them are positive."""
    counts = {"positive": round(share * count), "negative": count - round(share * count)}
    texts, labels = [], []
    for text, label in zip(corpus.target_texts, corpus.target_labels, strict=True):
        if counts[label] > 0:
            counts[label] -= 1
            texts.append(text)
            labels.append(label)
    return texts, np.array(labels)


# %%
# Four assumptions
# ----------------
# - ``"none"``: nothing is assumed, as is the default of most methods.
# - ``"source"``: the target has the class proportions of the source.
# - ``"estimate"``: they are estimated without target labels, see
#   :func:`isthmus.estimate_class_prior`.
# - a dict: your own numbers, here the true ones.
#
# The method is :class:`isthmus.SFA`, without a verdict to save time. The last line is ``auto``
# (:class:`isthmus.Auto`), the default method of :class:`isthmus.Transfer`, which estimates the
# proportions from several methods.
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


def make_models(share):
    """The models to compare, by name."""
    models = {
        name: Transfer("sfa", class_prior=name, verdict=False)
        for name in ("none", "source", "estimate")
    }
    true = {"positive": share, "negative": 1 - share}
    models["true"] = Transfer("sfa", class_prior=true, verdict=False)
    models["auto"] = Transfer("auto", effort="fast")
    return models


accuracies, found_shares = {}, {}
for share in SHARES:
    texts, truth = draw_target(share)
    for name, model in make_models(share).items():
        model.fit(corpus.source_texts, corpus.source_labels, texts)
        accuracies.setdefault(name, []).append(100 * np.mean(model.labels_ == truth))
        found_shares.setdefault(name, []).append(100 * np.mean(model.labels_ == "positive"))

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
fig.suptitle("What class_prior does to the labels of 200 kitchen reviews")
styles = {
    "none": ("SFA, none", "0.5", "s"),
    "source": ("SFA, source", "C3", "v"),
    "estimate": ("SFA, estimate", "C1", "^"),
    "true": ("SFA, true proportions", "C2", "D"),
    "auto": ("auto", "C0", "o"),
}
percent = [100 * share for share in SHARES]
for name, (label, color, marker) in styles.items():
    axes[0].plot(percent, accuracies[name], color=color, marker=marker, label=label)
    axes[1].plot(percent, found_shares[name], color=color, marker=marker)
axes[1].plot([0, 100], [0, 100], color="black", linewidth=0.8, linestyle="dotted")
axes[0].set(title="accuracy of the labels", ylabel="accuracy, %", ylim=(50, 101))
axes[1].set(title="proportion of positive labels", ylabel="labeled as positive, %", ylim=(0, 101))
for ax in axes:
    ax.set(xlabel="kitchen reviews that are positive, %", xticks=percent)
    ax.grid(alpha=0.3)
fig.legend(loc="outside lower center", ncols=5)
plt.show()

# %%
# The labels always match the assumed proportions. With "source" half of the reviews get the label
# positive, whatever they say. The estimate for SFA is close to the truth in the middle, ten
# points off at the left end and far off at the right, where ``auto`` stays closer. Without an
# assumption the labels follow the truth roughly. If you can, count a random sample of the target
# and pass your own numbers: :doc:`/guides/class_proportions` has measurements on real texts.
