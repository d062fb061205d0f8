"""
Why does this document get its label?
=====================================

:meth:`isthmus.Transfer.explain` weighs every word of a document: how much the label would lose if
the word were removed. The weights are drawn as bars, and compared with those of a classifier that
knows books only.
"""

# %%
# A model of kitchen reviews
# --------------------------
# The labels come from book reviews; the kitchen reviews have none.
import matplotlib.pyplot as plt

from isthmus import Transfer
from isthmus.datasets import make_corpus

corpus = make_corpus()
data = (
    {"books": (corpus.source_texts, corpus.source_labels)},
    None,
    {"kitchen": corpus.target_texts},
)
model = Transfer().fit(*data)

# %%
# Explain one review
# ------------------
# In a notebook an explanation shows the text with its words marked.
text = (
    "The kettle is sturdy and quick, with a solid handle. The lid was a bit loose and the plug "
    "is bulky, but it is great for tea."
)
model.explain(text)

# %%
# ``print`` lists the strongest words.
explanation = model.explain(text)
print(explanation)

# %%
# Weights as bars
# ---------------
# A weight is a difference of log-odds: a word with the weight 1 multiplies the odds of "positive"
# by 2.7. A second model is trained on books alone (method ``lg``, a logistic regression). Words
# that do not occur in book reviews as an opinion have hardly any weight there.
books_only = Transfer("lg", verdict=False).fit(*data).explain(text)


def weights_of(explanation, label="positive"):
    """The weight of every word for a label."""
    place = explanation.classes.index(label)
    return {word.word: word.weights[place] for word in explanation.words}


weights, books_weights = weights_of(explanation), weights_of(books_only)
words = sorted(weights, key=weights.get)

fig, axes = plt.subplots(1, 2, figsize=(9.5, 4.8), sharey=True, sharex=True, layout="constrained")
fig.suptitle("Words of one kitchen review: for 'positive' (blue) and for 'negative' (orange)")
panels = {"auto: books and unlabeled kitchen reviews": weights, "books only": books_weights}
for ax, (title, shown) in zip(axes, panels.items(), strict=True):
    values = [shown.get(word, 0.0) for word in words]
    ax.barh(words, values, color=["C0" if value > 0 else "C1" for value in values])
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set(title=title, xlabel="weight for 'positive', log-odds")
    ax.grid(axis="x", alpha=0.3)
    ax.tick_params(axis="y", length=0)
plt.show()

# %%
# An explanation shows what the model uses, not what is true: "tea" has nothing to do with
# opinions and counts by accident, and a wrong label has an explanation, too.
# :doc:`/guides/explanations` says what exactly is removed, and what weights do not tell.
