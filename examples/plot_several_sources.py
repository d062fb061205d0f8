"""
Several sources: which one helps?
=================================

Labeled reviews of books, films and garden tools are at hand, and reviews of kitchen appliances
are to be labeled. :class:`isthmus.Transfer` takes any number of named source domains. This
example fits every source alone and all of them together. A source that resembles the target makes
the labels safe; distant ones sometimes do not.
"""

# %%
# Four domains
# ------------
# Every domain has opinion words of its own. Garden tools and kitchen appliances share some of
# them ("sturdy", "rusty"), and so do books and films ("gripping", "dull"). A few words are the
# same everywhere. A review is also about one of two subjects of its domain, which have nothing to
# do with the opinion.
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np

from isthmus import Transfer

EVERYWHERE = {"positive": "great lovely excellent", "negative": "awful poor useless"}
OPINIONS = {
    "books": {
        "positive": "gripping moving witty lyrical thoughtful poignant vivid profound",
        "negative": "dull wordy shallow preachy tedious rambling pompous stilted",
    },
    "films": {
        "positive": "gripping moving funny thrilling stylish dazzling vivid charming",
        "negative": "dull noisy shallow cheesy tedious clumsy overlong silly",
    },
    "tools": {
        "positive": "sturdy sharp durable light rustproof solid handy balanced",
        "negative": "flimsy blunt rusty heavy wobbly bent loose splintered",
    },
    "kitchen": {
        "positive": "sturdy quiet durable efficient rustproof compact handy precise",
        "negative": "flimsy noisy rusty leaky wobbly overheated clogged smelly",
    },
}
THINGS = {
    "books": "plot ending prose hero chapter author",
    "films": "scene actor ending camera score director",
    "tools": "spade rake handle blade hose shears",
    "kitchen": "kettle blender handle blade lid oven",
}
SUBJECTS = {
    "books": ("detective murder clue alibi police", "love wedding kiss ballroom letter"),
    "films": ("battle soldier tank army bunker", "party joke neighbor dog school"),
    "tools": ("hedge branch pruning tree ladder", "soil compost seed tulip bed"),
    "kitchen": ("dough cake flour butter egg", "soup carrot onion leek potato"),
}


def write_review(domain, label, rng):
    """Four opinions, a tenth of them of the other kind, and four remarks on one subject."""
    subject = SUBJECTS[domain][rng.integers(2)].split()
    sentences = [f"It was about {rng.choice(subject)} and {rng.choice(subject)}." for _ in range(4)]
    for _ in range(4):
        kind = label if rng.random() < 0.9 else ("negative", "positive")[label == "negative"]
        words = EVERYWHERE[kind] if rng.random() < 0.1 else OPINIONS[domain][kind]
        thing = rng.choice(THINGS[domain].split())
        sentences.append(f"The {thing} is {rng.choice(words.split())}.")
    return " ".join(sentences)


def write_reviews(domain, count, rng):
    """Reviews of a domain and their labels, half of them positive."""
    labels = rng.permutation(["positive", "negative"] * (count // 2))
    return [write_review(domain, label, rng) for label in labels], labels


print(fill(write_review("kitchen", "positive", np.random.default_rng(0))))

# %%
# Every source alone, and all together
# ------------------------------------
# The sources are a mapping of names to texts and labels. The fits are repeated with four sets of
# generated reviews. ``source_only_labels_`` are the labels by a logistic regression on the same
# sources, without the kitchen reviews.
choices = {
    "books": ["books"],
    "films": ["films"],
    "tools": ["tools"],
    "all three": ["books", "films", "tools"],
}
results = []
for seed in range(4):
    rng = np.random.default_rng(seed)
    sources = {name: write_reviews(name, 160, rng) for name in ("books", "films", "tools")}
    texts, truth = write_reviews("kitchen", 200, rng)
    for choice, names in choices.items():
        chosen = {name: sources[name] for name in names}
        model = Transfer(effort="fast").fit(chosen, target_texts={"kitchen": texts})
        source_only = 100 * np.mean(model.source_only_labels_["kitchen"] == truth)
        transfer = 100 * np.mean(model.labels_["kitchen"] == truth)
        decision = model.verdict_["kitchen"].decision
        results.append((choice, source_only, transfer, decision))
        print(f"{seed} {choice:9} source only {source_only:3.0f} %, ", end="")
        print(f"Transfer {transfer:3.0f} %, verdict '{decision}'")

# %%
# A picture of all fits
# ---------------------
fig, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
places = {choice: place for place, choice in enumerate(choices)}
kinds = {
    "source only": ([(c, s) for c, s, _, _ in results], -0.15, "s", "0.5", "0.5"),
    "Transfer, verdict 'use'": (
        [(c, t) for c, _, t, d in results if d == "use"],
        0.15,
        "o",
        "C0",
        "C0",
    ),
    "Transfer, verdict 'check first'": (
        [(c, t) for c, _, t, d in results if d == "check first"],
        0.15,
        "o",
        "C0",
        "white",
    ),
}
rng = np.random.default_rng(0)
for name, (points, shift, marker, edge, face) in kinds.items():
    x = [places[choice] + shift + rng.uniform(-0.07, 0.07) for choice, _ in points]
    y = [accuracy for _, accuracy in points]
    ax.scatter(x, y, s=60, marker=marker, edgecolor=edge, facecolor=face, label=name, zorder=3)
ax.axhline(50, color="black", linewidth=0.8, linestyle="dotted")
ax.set_xticks(list(places.values()), places)
ax.set(
    xlabel="labeled source domains",
    ylabel="accuracy on 200 kitchen reviews, %",
    ylim=(45, 110),
    title="Accuracy on kitchen reviews by the sources, four repetitions each",
)
ax.grid(axis="y", alpha=0.3)
ax.legend(loc="upper center", ncols=3, frameon=False)
plt.show()

# %%
# Garden tools are the nearest source: a classifier of tools alone is already good, and no fit
# with it fails. With books or films alone some fits end near 50 %. They found two groups of
# kitchen reviews, but those about baking and about soup instead of the positive and the negative
# ones. Here the verdict on all of these fits is "check first", and so it is on good ones: it is
# an estimate, made without a label of the target. Prefer a source that resembles the target, use
# several sources if you do not know which one does, and label a sample of the target to be sure
# (:doc:`/guides/trust`).
