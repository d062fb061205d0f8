"""
Two languages: how large must the dictionary be?
================================================

Reviews in English are labeled as books, films or music; reviews in German are not. A bilingual
dictionary connects the two vocabularies. This example measures how the accuracy grows with the
part of the German words that the dictionary translates.
"""

# %%
# Reviews and a dictionary
# ------------------------
# By default the dictionary has 35 % of the German content words, in their base forms ("Buch", not
# "Bücher").
import warnings
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np

from isthmus import BilingualVectorizer, Transfer
from isthmus.datasets import make_bilingual_corpus

corpus = make_bilingual_corpus(n_source=200, n_target=200)
print(fill(f"{corpus.source_labels[0]}: {corpus.source_texts[0]}"))
print(fill(f"{corpus.target_labels[0]}: {corpus.target_texts[0]}"))
print(len(corpus.dictionary), "entries, such as", list(corpus.dictionary.items())[:3])


# %%
# :class:`isthmus.BilingualVectorizer` counts both languages and joins their words. Here it is
# known that the three classes are equally frequent in both languages, as in the source, and
# ``class_prior`` says so. The rest is as in one language. ``effort="fast"`` keeps the example
# short.
def fit(corpus):
    """Label the German reviews through the dictionary of the corpus."""
    vectorizer = BilingualVectorizer("en", "de", corpus.dictionary)
    model = Transfer(vectorizer=vectorizer, effort="fast", class_prior="source")
    return model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)


model = fit(corpus)
print(model.verdict_)
print("Unknown words that occur most:", model.vectorizer_.coverage_.frequent_unknown[:5])

# %%
# More and fewer translations
# ---------------------------
# ``known`` is the part of the German content words that the dictionary has. The texts stay the
# same. A very small dictionary gives a warning, which is expected here.
parts = [0, 0.1, 0.2, 0.35, 0.6, 1]
accuracies = {"source only, through the dictionary": [], "Transfer": []}
translated = []
for known in parts:
    corpus = make_bilingual_corpus(n_source=200, n_target=200, known=known)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The dictionary translates only")
        model = fit(corpus)
    truth = np.array(corpus.target_labels)
    found = (model.source_only_labels_, model.labels_)
    for values, labels in zip(accuracies.values(), found, strict=True):
        values.append(100 * np.mean(labels == truth))
    translated.append(100 * model.vectorizer_.coverage_.token_share("translated"))
    print(f"known {known:4.0%}: {len(corpus.dictionary):3} entries, verdict", end=" ")
    print(f"'{model.verdict_.decision}', accuracy {accuracies['Transfer'][-1]:.0f} %")

# %%
fig, ax = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
for (name, values), color, marker in zip(accuracies.items(), ["0.5", "C0"], "so", strict=True):
    ax.plot(translated, values, color=color, marker=marker, label=name)
ax.axhline(100 / 3, color="black", linewidth=0.8, linestyle="dotted", label="one class for all")
ax.set(
    xlabel="words of the German texts that the dictionary translates, %",
    ylabel="accuracy on 200 German reviews, %",
    ylim=(25, 102),
    title="Accuracy on German reviews by the size of the dictionary",
)
ax.grid(alpha=0.3)
ax.legend(loc="lower right")
plt.show()

# %%
# Without a dictionary only words that both languages spell alike are left, and they are not
# enough here. A few translations are enough to say which group of German reviews is which; the
# other words are then learned from the German texts themselves. More on this in
# :doc:`/guides/languages`.
