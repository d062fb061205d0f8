"""
CPU or GPU: the engine that computes
====================================

Many methods also run on an NVIDIA GPU. The engine is chosen by a setting, and this example runs
with and without a GPU: it prints the engine that was used. The picture shows times that were
measured on an H200; the script itself measures nothing.
"""

# %%
# Which engine is used
# --------------------
# The default setting, ``"auto"``, uses the GPU if there is one, if the method runs on it and if
# the matrix is large. A few hundred reviews are always computed on the CPU. ``engine_`` tells
# what was used.
import matplotlib.pyplot as plt
import numpy as np

import isthmus
from isthmus.datasets import make_corpus

corpus = make_corpus()
data = corpus.source_texts, corpus.source_labels, corpus.target_texts
model = isthmus.Transfer("mtrick", verdict=False).fit(*data)
print("setting:", isthmus.get_config()["engine"])
print("engine that was used:", model.engine_)

# %%
# ``engine="gpu"`` insists on the GPU. Without one there is an error that says what is missing.
# With one, the labels are the same as on the CPU, apart from documents between two classes.
try:
    on_gpu = isthmus.Transfer("mtrick", verdict=False, engine="gpu").fit(*data)
except isthmus.EngineError as error:
    print(f"{type(error).__name__}: {error}")
else:
    print(f"The same labels for {np.mean(on_gpu.labels_ == model.labels_):.1%} of the documents")

# %%
# What a GPU gains
# ----------------
# Seconds of whole fits to 100,000 generated documents with 100 different words each, from a SciPy
# matrix to labels, on one NVIDIA H200 and on the 16 cores of the same machine. The GPU had been
# used before by the same process. The numbers are those of ``benchmarks/speed/gpu.md`` in the
# repository, measured in November 2026 with ``isthmus-bench speed --engine gpu``; they are not
# measured on this machine.
SECONDS = {  # method: (16 cores, H200)
    "mtrick0": (0.551, 0.239),
    "mtrick": (0.774, 0.267),
    "cocc": (0.89, 0.402),
    "ktw": (1.98, 0.392),
    "dkt": (2.04, 0.387),
    "sfa": (2.58, 0.496),
    "plsa": (5.01, 0.488),
    "lssttc": (7.22, 0.479),
    "self-training": (14.4, 1.92),
    "pjnmf": (16.6, 1.16),
    "cdsc": (20.6, 1.32),
    "auto": (47.9, 6.78),
}
names = list(SECONDS)[::-1]
cpu, gpu = np.array([SECONDS[name] for name in names]).T
places = np.arange(len(names))
fig, ax = plt.subplots(figsize=(8.5, 5.2), layout="constrained")
ax.hlines(places, gpu, cpu, color="0.7", linewidth=3, zorder=1)
ax.scatter(cpu, places, s=55, color="0.4", marker="s", label="16 CPU cores", zorder=2)
ax.scatter(gpu, places, s=55, color="C2", label="one H200", zorder=2)
for place, slow, fast in zip(places, cpu, gpu, strict=True):
    ax.text(slow * 1.15, place, f"{slow / fast:.2g} times", va="center")
ax.set_xscale("log")
ax.set_yticks(places, names)
ax.set_xticks([0.2, 0.5, 1, 2, 5, 10, 20, 50], ["0.2", "0.5", "1", "2", "5", "10", "20", "50"])
ax.minorticks_off()
ax.set(
    xlabel="seconds of a fit, logarithmic",
    xlim=(0.18, 110),
    title="Fits to 100,000 documents, measured on an NVIDIA H200 and on 16 CPU cores",
)
ax.grid(axis="x", alpha=0.3)
ax.legend(loc="upper right")
plt.show()

# %%
# The first fit of a process takes about a second longer, because CuPy and the device start, and
# the very first one on a machine about 20 seconds, because it compiles the kernels.
# :doc:`/guides/gpu` says how to install CuPy, how much memory is needed, and which methods run on
# a GPU.
