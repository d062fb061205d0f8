"""
Inside a model: word clusters and a map of the documents
========================================================

:class:`isthmus.MTrick` sorts the words of every domain into clusters and learns which cluster
speaks for which class. The clusters have different words in each domain, but their relation to
the classes is shared. This is what it transfers. The example draws the clusters, and a map of all
documents.
"""

# %%
# Fit one method
# --------------
# The posts of a forum on books are labeled as questions, offers, praise or complaints, those of
# a forum on kitchen appliances are not.
import numpy as np

from isthmus import MTrick, Transfer
from isthmus.datasets import make_corpus

corpus = make_corpus(
    n_source=300, n_target=300, classes=("question", "offer", "positive", "negative")
)
model = Transfer(MTrick(tol=1e-6), verdict=False).fit(
    {"books": (corpus.source_texts, corpus.source_labels)},
    target_texts={"kitchen": corpus.target_texts},
)
truth = np.array(corpus.target_labels)
print(f"Accuracy: {np.mean(model.labels_['kitchen'] == truth):.1%}")
print(f"Source only: {np.mean(model.source_only_labels_['kitchen'] == truth):.1%}")

# %%
# Word clusters
# -------------
# One row per cluster: its class, how strongly it is associated with it, and its words in both
# domains. A cluster of praise is "riveting" in books and "durable" in kitchen reviews.
model.plot.word_clusters()

# %%
# A map of the documents
# ----------------------
# Documents with many words in common are near each other (t-SNE). Colors are classes, given in
# the source and found in the target. Labels do not influence the places: if colors form groups
# in the target, the labels follow what the texts have in common.

# sphinx_gallery_thumbnail_number = 2
model.plot.map()

# %%
# Both figures, and others, are part of the report: :doc:`/guides/report`.
