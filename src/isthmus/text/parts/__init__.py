"""Counts of texts in parts: on disk, in several processes or on several machines.

A part has the counts of some texts in columns of its own, sorted by the terms. When all texts have
been counted, the vocabularies of the parts are joined and every part gets the common columns.
"""
