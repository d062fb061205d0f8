"""
A method of your own
====================

A method is a class with one function that fits. This script writes one, "moving means", in thirty
lines and uses it like a method of the package: on texts, with a verdict, with explanations, and
as a member of the automatic method.
"""

# %%
# The class
# ---------
# The method starts with the mean document of every class in the source. In every round the target
# documents join the class with the most similar mean, and the means are computed again with them,
# so that they move into the target.
#
# The base class reads and checks the input and sets the fitted attributes. ``_fit`` gets the
# documents of all domains and returns a ``Fit``: a rule for new documents and the class
# memberships of the given ones. The rule here is a ready-made one, ``LinearModel``: a weight per
# class and term. :doc:`/contribute/adding_a_method` describes all parts.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import normalize

from isthmus import Auto, Transfer
from isthmus.datasets import make_corpus
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, LinearModel, predict_rows


class MovingMeans(TransferClassifier):
    """Class means that move from the source to the target."""

    _model_class = LinearModel

    def __init__(self, n_rounds=10, *, scale=10.0, class_prior=None, missing_label=-1):
        self.n_rounds = n_rounds
        self.scale = scale
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self):
        if self.n_rounds < 0:
            raise ValueError(f"n_rounds={self.n_rounds} must be 0 or more.")

    def _fit(self, data, callback):
        X = normalize(data.X)
        codes = data.problem.labels  # class codes of all rows, -1 for unlabeled ones
        unlabeled = codes < 0
        members = np.eye(data.problem.n_classes)[codes] * ~unlabeled[:, None]
        offset = np.zeros(data.problem.n_classes)
        for number in range(self.n_rounds + 1):
            means = normalize((X.T @ members).T)
            if number < self.n_rounds and unlabeled.any():
                similarity = X[unlabeled] @ means.T
                # Without this, the class with the larger similarities would take everything.
                offset = similarity.mean(axis=0)
                nearest = (similarity - offset).argmax(axis=1)
                members[unlabeled] = np.eye(data.problem.n_classes)[nearest]
        means -= means.mean(axis=0)  # words that all classes use get no weight
        model = LinearModel.of(data, self.scale * means, -self.scale * offset, skips_empty=True)
        return Fit(model, predict_rows(model, data))


# %%
# Use it on texts
# ---------------
# An object of the class is a ``method`` of :class:`isthmus.Transfer`.
corpus = make_corpus()
data = corpus.source_texts, corpus.source_labels, corpus.target_texts
model = Transfer(MovingMeans()).fit(*data)
print(model.verdict_)
print(model.top_words(4)["positive"])
print(model.explain("The kettle is sturdy, but the lid is loose."))

# %%
# As a member of the automatic method, its labels are combined with those of others.
combined = Transfer(Auto(members=[MovingMeans(), "cocc", "sfa"])).fit(*data)
for member in combined.estimator_.members_:
    print(f"{member.name:50} {member.seconds:.2f} s")

# %%
# How many rounds?
# ----------------
# Without target labels the number of rounds cannot be chosen; with generated reviews it can be
# looked at. The dots are five sets of reviews.
rounds = [0, 1, 2, 3, 5, 10, 20]
accuracies = np.empty((5, len(rounds)))
source_only = np.empty(5)
for seed in range(5):
    corpus = make_corpus(random_state=seed)
    truth = np.array(corpus.target_labels)
    for column, n_rounds in enumerate(rounds):
        model = Transfer(MovingMeans(n_rounds), verdict=False)
        model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
        accuracies[seed, column] = 100 * np.mean(model.labels_ == truth)
    source_only[seed] = 100 * np.mean(model.source_only_labels_ == truth)

fig, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
places = np.arange(len(rounds))
ax.plot(places, accuracies.mean(axis=0), color="C0", linewidth=2, label="moving means")
ax.plot(places, accuracies.T, ".", color="C0", alpha=0.6)
ax.axhline(source_only.mean(), color="0.5", linestyle="dashed", label="source-only classifier")
ax.set_xticks(places, rounds)
ax.set(
    xlabel="rounds",
    ylabel="accuracy on 400 kitchen reviews, %",
    ylim=(50, 101),
    title="Accuracy of moving means by the number of rounds, five repetitions",
)
ax.grid(alpha=0.3)
ax.legend(loc="lower right")
plt.show()

# %%
# A method that is not part of the package works in Python only: models of it cannot be saved to a
# model file, and the command line does not know it. Both need an entry in the list of methods.
# Another way to bring in code of your own is ``init_classifier`` of :class:`isthmus.MTrick` and
# its relatives, which takes any classifier of scikit-learn for the first labels.
