"""Count terms in texts with compiled loops.

``character_table`` says which characters form words. ``text_block`` turns texts into arrays.
``word_table`` and ``ngram_table`` number words and n-grams, ``term_numbers`` replaces words by
stems. ``term_counter`` counts the terms of blocks, one counter per thread, and ``block_counts``
joins the results. :mod:`isthmus.text.term_counts` decides between this and the plain way.
"""
