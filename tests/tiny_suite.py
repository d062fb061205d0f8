"""Suites on the generated corpus, small enough for tests."""

TINY = """
name = "tiny"
title = "Tiny"
citation = "Nobody"
seeds = [0, 1]
dtype = "float32"
[text]
stop_words = "english"
min_df = 2
[tasks]
kind = "ordered-pairs"
corpus = "synthetic"
development_every = 4
[[sets]]
name = "a"
positive = ["books.positive", "kitchen.positive"]
negative = ["books.negative", "kitchen.negative"]
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "log-tfidf"
"""

CLUSTERS = """
name = "clusters"
title = "Tiny clusters"
citation = "Nobody"
seeds = [0, 1]
dtype = "float32"
metrics = ["accuracy", "NMI (geometric)"]
table = "problems"
[text]
stop_words = "english"
min_df = 2
[tasks]
kind = "listed"
corpus = "synthetic"
[[sets]]
name = "a"
[[sets.problems]]
name = "first"
split = "development"
tasks = [
    { good = ["books.positive"], bad = ["books.negative"] },
    { good = ["kitchen.positive"], bad = ["kitchen.negative"] },
]
scored = 1
paper.accuracy = { KM = 60.0 }
paper."NMI (geometric)" = { KM = 0.25, NCut = 0.5 }
[[sets.problems]]
name = "second"
split = "evidence"
tasks = [
    { good = ["books.positive"], bad = ["books.negative"] },
    { good = ["kitchen.positive"], bad = ["kitchen.negative"] },
]
scored = 2
paper.accuracy = { KM = 70.0 }
[[entries]]
id = "km"
label = "KM"
method = "kmeans"
weighting = "tfidf"
paper = "KM"
[[entries]]
id = "all"
label = "All KM"
method = "kmeans"
params = { scope = "all" }
weighting = "tfidf"
"""

# A problem whose sides, and what else there is to it, take the place of SIDES.
LISTED = """
name = "tiny"
title = "Tiny"
citation = "Nobody"
seeds = [0]
dtype = "float32"
[text]
min_df = 1
[tasks]
kind = "listed"
corpus = "synthetic"
[[sets]]
name = "a"
[[sets.problems]]
name = "p"
split = "evidence"
SIDES
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "counts"
"""
SOURCE, TARGET = 'source = { x = ["a"], y = ["b"] }\n', 'target = { x = ["c"] }\n'
