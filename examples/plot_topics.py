"""
Topics
======
A stub.
"""

from matplotlib import pyplot as plt

plt.plot([1, 2])
