"""
A Dask cluster: the same labels on several workers
==================================================

With a `Dask <https://www.dask.org>`__ client as ``engine``, words are counted and the method is
fitted on the workers of a cluster. This example starts two workers, gets the same labels as
without them, and draws what the workers did. Most of the time they wait for messages: a cluster
is for corpora that do not fit on one machine, not for speed on small ones.
"""

# %%
# A cluster in this process
# -------------------------
# ``processes=False`` starts the workers as threads of this process. This is enough to try things,
# and needs no protection of the script. Real workers are processes of their own. A script that
# starts them must do so below ``if __name__ == "__main__":``, because every worker imports the
# script again::
#
#     if __name__ == "__main__":
#         with LocalCluster(n_workers=2) as cluster, Client(cluster) as client:
#             Transfer("mtrick", engine=client).fit(...)
#
# On a cluster of several machines it is ``Client("tcp://address-of-the-scheduler:8786")``.
import re
import tempfile
import time

import dask
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, LocalCluster, get_task_stream

from isthmus import MTrick, Transfer
from isthmus.datasets import make_corpus

corpus = make_corpus()
data = corpus.source_texts, corpus.source_labels, corpus.target_texts
method = MTrick(max_iter=15, tol=0)  # few iterations: this is about the cluster

# %%
# One fit on two workers, one without them
# ----------------------------------------
# The ``with`` statement closes the client and the cluster in every case. ``get_task_stream``
# records the tasks of the workers.
settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
with (
    tempfile.TemporaryDirectory() as folder,
    dask.config.set(temporary_directory=folder),  # for files of the workers
    LocalCluster(**settings, processes=False) as cluster,
    Client(cluster) as client,
):
    start = time.perf_counter()
    with get_task_stream(client) as stream:
        on_cluster = Transfer(method, engine=client, verdict=False).fit(*data)
    cluster_seconds = time.perf_counter() - start

start = time.perf_counter()
in_process = Transfer(method, engine="cpu", verdict=False).fit(*data)
seconds = time.perf_counter() - start

same = np.mean(on_cluster.labels_ == in_process.labels_)
print(
    f"engine {on_cluster.engine_}: {cluster_seconds:.1f} s; {in_process.engine_}: {seconds:.1f} s"
)
print(f"The same label for {same:.0%} of {len(in_process.labels_)} documents")
print(f"Accuracy: {np.mean(on_cluster.labels_ == np.array(corpus.target_labels)):.1%}")

# %%
# What the workers did
# --------------------
# Tasks have names such as ``isthmus-count-words`` and ``isthmus-rows``. Documents stay on the
# workers: an iteration sends the factors of the words to every worker and gets sums of the same
# size back. Tasks shorter than two milliseconds are drawn as wide as that.
tasks = []
for task in stream.data:
    kind = re.match(r"isthmus-([a-z-]+?)-[0-9a-f]{8}", str(task["key"]))
    for step in task["startstops"]:
        if step["action"] == "compute" and kind:
            tasks.append((kind[1], task["worker"], step["start"], step["stop"]))
begin = min(start for _, _, start, _ in tasks)
busy = {}
for kind, _, start, stop in tasks:
    busy[kind] = busy.get(kind, 0) + stop - start
shown = sorted(busy, key=busy.get, reverse=True)[:5]
workers = sorted({worker for _, worker, _, _ in tasks})

fig, ax = plt.subplots(figsize=(9.5, 3.2), layout="constrained")
for kind, worker, start, stop in tasks:
    color = f"C{shown.index(kind)}" if kind in shown else "0.6"
    ax.barh(workers.index(worker), max(stop - start, 0.002), left=start - begin, color=color)
handles = [plt.Rectangle((0, 0), 1, 1, color=f"C{place}") for place in range(len(shown))]
handles.append(plt.Rectangle((0, 0), 1, 1, color="0.6"))
ax.set_yticks(range(len(workers)), [f"worker {place + 1}" for place in range(len(workers))])
ax.set(
    xlabel="seconds since the first task",
    ylim=(-0.6, 1.6),
    title=f"Tasks of a fit on two workers: {len(tasks)} tasks, white is waiting",
)
fig.legend(handles, [*shown, "others"], loc="outside lower center", ncols=6)
plt.show()

total = sum(busy.values()) / len(workers)
print(f"A worker computed for {total:.2f} of {cluster_seconds:.1f} seconds.")

# %%
# :doc:`/guides/scale` has measurements with a million documents and more, and says when to use a
# cluster.
