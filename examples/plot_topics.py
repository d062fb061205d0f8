"""
Topics: sort this year's tickets with last year's labels
========================================================

Last year's support tickets came by letter and have a topic each. This year's come by chat, with
other words, and have no labels. A classifier trained on last year's tickets sorts about 60 % of
the new ones correctly; :class:`isthmus.Transfer`, which reads both years, sorts nearly all of
them.
"""

# %%
# Two years of tickets
# --------------------
# Every topic has words that both years use, and others that only letters or only chats use. A
# ticket also contains some words of other topics.
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay

from isthmus import Transfer

WORDS = {  # topic: (words of both years, words of letters, words of chats)
    "billing": (
        "invoice refund charge payment",
        "cheque remittance ledger surcharge postage banknote giro receipt",
        "subscription autopay wallet cashback promo checkout paywall renewal",
    ),
    "delivery": (
        "parcel address courier shipment",
        "postman depot consignment freight waybill pallet timetable railway",
        "tracking locker driver doorstep drone geofence pickup reroute",
    ),
    "login": (
        "password account email username",
        "form signature helpdesk terminal secretary fax identity stamp",
        "passkey authenticator fingerprint captcha app token session browser",
    ),
    "devices": (
        "screen battery warranty repair",
        "modem antenna cassette cable floppy printer ribbon fuse",
        "bluetooth firmware earbuds charger touchscreen update hotspot sensor",
    ),
}
SENTENCES = {
    "letter": ("I write about the {} and the {}.", "Enclosed: the {}, with a note on the {}."),
    "chat": ("hi, problem with {} / {}", "the {} again!! also the {} :(", "pls check {} and {}"),
}


def write_ticket(channel, topic, rng):
    """Four sentences with two words each, most of them of the topic."""
    own = 1 if channel == "letter" else 2
    words = []
    while len(words) < 8:
        about = topic if rng.random() < 0.75 else rng.choice(list(WORDS))
        kind = 0 if rng.random() < 0.15 else own
        words.append(rng.choice(WORDS[about][kind].split()))
    pairs = zip(words[::2], words[1::2], strict=True)
    return " ".join(str(rng.choice(SENTENCES[channel])).format(*pair) for pair in pairs)


rng = np.random.default_rng(0)
topics = list(WORDS)
old_labels = rng.choice(topics, size=400)
new_labels = rng.choice(topics, size=400)  # the truth, used only to evaluate
old_tickets = [write_ticket("letter", topic, rng) for topic in old_labels]
new_tickets = [write_ticket("chat", topic, rng) for topic in new_labels]
print(fill(f"{old_labels[0]}: {old_tickets[0]}"))
print(fill(f"{new_labels[0]}: {new_tickets[0]}"))

# %%
# Label the new tickets
# ---------------------
# ``fit`` takes the old tickets with their labels and the new ones without.
# ``source_only_labels_`` are the labels by a logistic regression on the old tickets alone, for
# comparison. The verdict is an estimate made without labels of the new tickets.
model = Transfer().fit(old_tickets, old_labels, new_tickets)
print(model.verdict_)
print(f"Accuracy: {np.mean(model.labels_ == new_labels):.1%}")
print(f"Accuracy, old tickets alone: {np.mean(model.source_only_labels_ == new_labels):.1%}")

# %%
# Which topics are confused
# -------------------------
fig, axes = plt.subplots(1, 2, figsize=(9.5, 4.4), layout="constrained")
fig.suptitle("True and predicted topics of 400 new tickets")
results = {"trained on old tickets only": model.source_only_labels_, "Transfer": model.labels_}
for ax, (name, labels) in zip(axes, results.items(), strict=True):
    ConfusionMatrixDisplay.from_predictions(
        new_labels, labels, ax=ax, cmap="Blues", colorbar=False, xticks_rotation=30
    )
    ax.set(title=name, xlabel="predicted topic", ylabel="true topic")
plt.show()

# %%
# What was learned
# ----------------
# The most typical words of every topic, in the old and in the new tickets. Nobody labeled a
# ticket with the words on the right: they were found because they occur together with known ones.
for topic, words in model.top_words(4).items():
    print(f"{topic:9} {', '.join(words['source']):45} {', '.join(words['target'])}")
