"""
Opinions: from book reviews to kitchen reviews
==============================================

Book reviews are labeled as positive or negative, reviews of kitchen appliances are not. A book
is "gripping" or "dull", a kettle "sturdy" or "leaky", so a classifier trained on books alone
knows few of the words that matter. This example compares it with the default method of
:class:`isthmus.Transfer` and shows on which side every word is.
"""

# %%
# The reviews
# -----------
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np

from isthmus import Transfer
from isthmus.datasets import make_corpus

corpus = make_corpus()
print(fill(f"{corpus.source_labels[0]}: {corpus.source_texts[0]}"))
print(fill(f"{corpus.target_labels[0]}: {corpus.target_texts[0]}"))

# %%
# Fit the model
# -------------
# Domains get names if they are passed as mappings. The labels of the kitchen reviews are not
# passed. A notebook shows the fitted model as a summary.
model = Transfer()
model.fit(
    {"books": (corpus.source_texts, corpus.source_labels)},
    target_texts={"kitchen": corpus.target_texts},
)

# %%
# Estimated and true accuracy
# ---------------------------
# The verdict estimates the accuracies, with 80 % intervals, from unlabeled reviews. Here the
# truth is known, so that both can be compared.
verdict = model.verdict_["kitchen"]
estimates = [verdict.source_only_accuracy, verdict.accuracy]
found = [model.source_only_labels_["kitchen"], model.labels_["kitchen"]]
true = [100 * np.mean(labels == np.array(corpus.target_labels)) for labels in found]

fig, ax = plt.subplots(figsize=(7.5, 3.2), layout="constrained")
places = np.arange(2)
ax.barh(places, true, height=0.5, color=["0.65", "C0"], label="true accuracy")
values = np.array([100 * part.value for part in estimates])
ends = np.array([[100 * part.low, 100 * part.high] for part in estimates]).T
ax.errorbar(
    values,
    places,
    xerr=np.abs(ends - values),
    fmt="o",
    color="black",
    capsize=4,
    label="estimate of the verdict, 80 % interval",
)
for place, value in zip(places, true, strict=True):
    ax.text(2, place, f"{value:.0f} %", va="center", color="white", fontweight="bold")
ax.set_yticks(places, ["trained on books only", "Transfer"])
ax.set(xlabel="accuracy on 400 kitchen reviews, %", xlim=(0, 105), ylim=(-0.5, 2.1))
ax.set_title("Accuracy on kitchen reviews: true and estimated without labels")
ax.legend(loc="upper left", ncols=2, frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Which words changed
# -------------------
# Every point is a word. Words in the upper right corner speak for "positive" in both domains,
# those in the lower left for "negative". The strips hold words of one domain only: "durable"
# never occurs in a book review and was learned because it occurs with known words. Words such as
# "moving" are praise in one domain and describe a thing in the other.

# sphinx_gallery_thumbnail_number = 2
model.plot.words("positive")

# %%
# New reviews
# -----------
# The model labels further texts. ``domain`` is needed only if several targets were fitted.
print(model.predict(["A sturdy kettle, and very quiet.", "The lid was cracked and it leaks."]))
