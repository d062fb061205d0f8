"""Memberships of new documents under fixed factors."""

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
    """Iterate the G step ``G <- G * sqrt(X B / (G B'B))`` with normalized rows, B = F S.

    ``X B`` is computed once. A document without a known word gets a row of zeros. The scale of a
    document does not matter, because rows are normalized.
    """
    xp = engine.xp
    products = documents.times(profiles)
    gram = engine.gram(profiles, profiles)
    n_classes = profiles.shape[1]
    memberships = documents.full(1 / n_classes, n_classes, products.dtype)
    converged = documents.full(False, 1, bool)
    for _ in range(max_iter):
        before = memberships
        updated = engine.normalized_rows(
            engine.multiplied(memberships, products, engine.product(memberships, gram))
        )
        # Rows stop one by one, so that a result does not depend on the other rows.
        memberships = xp.where(converged, before, updated)
        converged = converged | (abs(memberships - before).max(axis=1, keepdims=True) < tol)
        if bool(converged.all()):
            break
    return memberships
