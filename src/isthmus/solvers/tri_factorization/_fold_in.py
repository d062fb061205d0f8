"""Memberships of new documents under factors that stay as they are."""

from __future__ import annotations

from isthmus.matrices.protocols import Array, Documents, Engine


def fold_in(
    documents: Documents,
    profiles: Array,
    *,
    engine: Engine,
    max_iter: int = 200,
    tol: float = 1e-4,
) -> Array:
    """The G step alone, repeated: ``G <- G * sqrt(X B / (G B'B))``, rows normalised, B = F S.

    The documents are read once, for ``X B``. A document without a known word gets a row of
    zeros. The scale of a document does not matter, since its row is normalised.
    """
    xp = engine.xp
    products = documents.times(profiles)
    gram = profiles.T @ profiles
    n_classes = profiles.shape[1]
    memberships = xp.full(products.shape, 1 / n_classes, dtype=products.dtype)
    settled = xp.zeros((products.shape[0], 1), dtype=bool)
    for _ in range(max_iter):
        before = memberships
        moved = engine.normalised_rows(engine.multiplied(memberships, products, memberships @ gram))
        # A row stops by itself: its answer must not depend on the company it came in.
        memberships = xp.where(settled, before, moved)
        settled = settled | (abs(memberships - before).max(axis=1, keepdims=True) < tol)
        if bool(settled.all()):
            break
    return memberships
