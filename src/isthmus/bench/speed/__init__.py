"""Speed and memory as ratios, every side of a comparison measured in the same run.

``corpus`` makes the documents, ``contestants`` are the sides, ``timing`` measures them in turn,
``memory`` looks at a fit in a process of its own, ``report`` puts it together.
"""
