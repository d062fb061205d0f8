"""The solver of the spectral classifier (SC)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from isthmus.matrices.rows import as_documents
from isthmus.numerics.affinity import CosineAffinity
from isthmus.solvers.spectral.spectral_classifier import spectral_classifier

KNOWN = json.loads((Path(__file__).parents[1] / "known_answers" / "cdsc.json").read_text())
LABELS = np.array(KNOWN["y_s"] + [-1] * len(KNOWN["X_t"]))


def test_equals_the_dense_definition():
    blocks = [np.array(KNOWN[name], float) for name in ("X_s", "X_t")]
    unit = np.vstack(blocks)
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    A = unit @ unit.T
    labeled = LABELS >= 0
    both = labeled[:, None] & labeled[None]
    A = np.where(both, LABELS[:, None] == LABELS[None], A)
    D = A.sum(axis=1)
    N = (A + np.diag(D.max() - D)) / D.max()
    values, vectors = np.linalg.eigh(N)
    affinity = CosineAffinity.of([as_documents(block) for block in blocks])
    start = np.arange(1.0, 12.0)
    spectrum = spectral_classifier(affinity, LABELS, [True, False], n_eigenvectors=4, start=start)
    np.testing.assert_allclose(spectrum.eigenvalues, 1 - values[::-1][:4], atol=1e-12)
    expected = vectors[:, ::-1][:, :4]
    np.testing.assert_allclose(
        spectrum.embedding @ spectrum.embedding.T, expected @ expected.T, atol=1e-10
    )
