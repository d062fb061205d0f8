"""A suite on the generated corpus, small enough for tests."""

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
