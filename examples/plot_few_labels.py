"""
A few labeled target documents and what they buy
=================================================

Book reviews are labeled, and somebody can label some kitchen reviews by hand. These learning
curves show how many are worth it. It depends on the method, and on what the domains share: if
they share no word of opinion, only a hand label can tell which group of kitchen reviews is the
positive one, and two or five labels are enough for that.
"""

# %%
# Labels of the target
# --------------------
# With :class:`isthmus.Transfer` a target may be a pair of texts and labels, in which ``None``
# marks an unlabeled text: ``target_texts={"kitchen": (texts, labels)}``. This example fits many
# models, so it counts the words once and passes matrices to the methods, in the same way. Given
# labels are learned from and kept. Accuracy is measured on the other reviews.
#
# :class:`isthmus.CoCC` groups the kitchen reviews and then names the groups. :class:`isthmus.SFA`
# makes features from words that occur together, and trains a classifier on all labels. The third
# curve is a logistic regression on the hand labels alone.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from isthmus import SFA, CoCC, TextVectorizer, stack_domains
from isthmus.datasets import make_corpus

SIZES = (0, 2, 5, 10, 20, 50, 100)
SEEDS = range(4)
METHODS = {"books and hand labels, CoCC": CoCC(), "books and hand labels, SFA": SFA()}
TARGET_ONLY = "hand labels only, logistic regression"


def transfer(method, books, book_labels, kitchen, given):
    """Labels of the kitchen reviews, learned from books and given labels."""
    X, y, sample_domain = stack_domains(
        {"books": (books, book_labels)}, {"kitchen": (kitchen, given)}
    )
    with warnings.catch_warnings():  # explained below
        warnings.filterwarnings("ignore", "Classes in target domain .* may be swapped")
        return method.fit(X, y, sample_domain).transduction_[sample_domain < 0]


def target_only(kitchen, given):
    """Labels of the kitchen reviews, learned from the given labels alone."""
    chosen = np.array([label is not None for label in given])
    known = given[chosen].astype(str)
    if len(set(known)) < 2:  # one class: there is nothing to learn
        return np.full(len(given), known[0])
    return LogisticRegression(C=10).fit(kitchen[chosen], known).predict(kitchen)


# %%
# Two pairs of domains
# --------------------
# ``gap`` is the part of the opinion words that only one domain uses. With 0.8 a fifth of the
# opinions uses shared words; with 1 no word of opinion occurs in both domains. All curves are
# repeated for four sets of reviews, and every set has its own random order of hand labels.
curves = {}
for gap in (0.8, 1.0):
    for name in (*METHODS, TARGET_ONLY):
        curves[gap, name] = np.full((len(SEEDS), len(SIZES)), np.nan)
    for row, seed in enumerate(SEEDS):
        corpus = make_corpus(n_source=200, n_target=300, gap=gap, random_state=seed)
        vectorizer = TextVectorizer().fit(corpus.source_texts + corpus.target_texts)
        books = vectorizer.transform(corpus.source_texts)
        kitchen = vectorizer.transform(corpus.target_texts)
        truth = np.array(corpus.target_labels, dtype=object)
        order = np.random.default_rng(seed).permutation(len(truth))
        for column, size in enumerate(SIZES):
            given = np.full(len(truth), None)
            given[order[:size]] = truth[order[:size]]
            labels = {
                name: transfer(method, books, corpus.source_labels, kitchen, given)
                for name, method in METHODS.items()
            }
            if size > 0:
                labels[TARGET_ONLY] = target_only(kitchen, given)
            rest = order[size:]
            for name, found in labels.items():
                curves[gap, name][row, column] = 100 * np.mean(found[rest] == truth[rest])

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 4.8), sharey=True, layout="constrained")
fig.suptitle("Accuracy by the number of hand labels: means (lines) of four repetitions (dots)")
places = np.arange(len(SIZES))
titles = {0.8: "some shared words of opinion (gap 0.8)", 1.0: "no shared words of opinion (gap 1)"}
for ax, (gap, title) in zip(axes, titles.items(), strict=True):
    for name, color in zip((*METHODS, TARGET_ONLY), ("C0", "C1", "0.5"), strict=True):
        values = curves[gap, name]
        ax.plot(places, values.mean(axis=0), color=color, linewidth=2, label=name)
        ax.plot(places, values.T, ".", color=color, alpha=0.6)
    ax.set_xticks(places, SIZES)
    ax.set(title=title, xlabel="kitchen reviews that were labeled by hand")
    ax.grid(alpha=0.3)
axes[0].set_ylabel("accuracy on the other kitchen reviews, %")
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %%
# On the right, CoCC finds the reviews of one opinion as a group without any hand label, but the
# group may get the wrong name: then nearly all labels are wrong, and the method warns that
# classes may be swapped (the warning is not shown here). Two hand labels settle the names. SFA
# has no groups, and its accuracy grows slowly; with 20 labels and more it is below the curve
# without books, because books that share nothing with the target only disturb it. Hand labels
# alone reach 90 % with 20 to 50 reviews.
#
# Generated reviews are easy to group. On real texts expect to need more labels.
