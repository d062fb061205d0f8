"""
No labels at all: cluster several bodies of text
================================================

Posts of two forums, about books and about kitchen appliances, are to be sorted into four groups,
and not one of them is labeled. K-means on all posts mostly finds the two forums instead of the
kinds of posts; K-means on each forum finds the kinds, but under different numbers.
:class:`isthmus.LSSMTC` clusters both at once, so that a cluster number means the same in both.
"""

# %%
# Posts of two forums
# -------------------
# The kinds of posts are known here, and used only for the pictures. Clusterers take the rows of
# all domains in one matrix, with the number of its domain for every row.
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np

from isthmus import LSSMTC, KMeansClusterer, TextVectorizer, clustering_accuracy
from isthmus.datasets import make_corpus

KINDS = ("question", "offer", "positive", "negative")
corpus = make_corpus(n_source=300, n_target=300, classes=KINDS)
X = TextVectorizer().fit_transform(corpus.source_texts + corpus.target_texts)
sample_domain = np.repeat([0, 1], 300)
truth = np.array(corpus.source_labels + corpus.target_labels)
print(fill(corpus.source_texts[0]))
print(fill(corpus.target_texts[0]))

# %%
# Three ways to cluster
# ---------------------
clusterers = {
    "K-means, all posts together": KMeansClusterer(4, scope="all", random_state=0),
    "K-means, each forum alone": KMeansClusterer(4, scope="domain", random_state=0),
    "LSSMTC, both forums jointly": LSSMTC(4, random_state=0),
}
clusters = {
    name: clusterer.fit_predict(X, sample_domain=sample_domain)
    for name, clusterer in clusterers.items()
}

# %%
# Which posts are in which cluster
# --------------------------------
# A good clustering has one dark field per row, and in both halves in the same column. The
# accuracy is that of the best one-to-one matching of clusters and kinds over both forums
# (:func:`isthmus.clustering_accuracy`).
groups = [(domain, kind) for domain in (0, 1) for kind in KINDS]
names = [f"{('books', 'kitchen')[domain]}: {kind}" for domain, kind in groups]
fig, axes = plt.subplots(1, 3, figsize=(10, 4.6), sharey=True, layout="constrained")
fig.suptitle("Posts of every kind by cluster, for three ways to cluster two forums")
for ax, (name, found) in zip(axes, clusters.items(), strict=True):
    counts = np.array(
        [
            np.bincount(found[(sample_domain == domain) & (truth == kind)], minlength=4)
            for domain, kind in groups
        ]
    )
    ax.imshow(counts, cmap="Blues", vmin=0, vmax=counts.sum(axis=1).max(), aspect="auto")
    for (row, column), count in np.ndenumerate(counts):
        ax.text(
            column, row, count, ha="center", va="center", color="white" if count > 40 else "0.2"
        )
    ax.axhline(3.5, color="black")
    ax.set_title(f"{name}\naccuracy {clustering_accuracy(truth, found):.0%}", fontsize="medium")
    ax.set_xlabel("cluster")
    ax.set_xticks(range(4))
axes[0].set_yticks(range(8), names)
plt.show()

# %%
# Words of the clusters
# ---------------------
# Clusters have no names. The words that are more frequent in a cluster than elsewhere show what
# it is about.
vectorizer = TextVectorizer(weighting="presence")
presence = vectorizer.fit_transform(corpus.source_texts + corpus.target_texts)
words = np.array(vectorizer.get_feature_names_out())
found = clusters["LSSMTC, both forums jointly"]
for cluster in range(4):
    inside = np.asarray(presence[found == cluster].mean(axis=0)).ravel() + 0.01
    outside = np.asarray(presence[found != cluster].mean(axis=0)).ravel() + 0.01
    print(f"cluster {cluster}:", ", ".join(words[np.argsort(outside / inside)[:8]]))

# %%
# New posts get a cluster with ``predict``, which needs the number of their forum. The numbers of
# clusters carry no meaning before somebody looks at them, and a clusterer does not know which
# differences between posts matter to you: with a few labels, a classifier does.
