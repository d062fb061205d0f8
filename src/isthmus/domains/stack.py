"""Stack named domains into ``X, y, sample_domain``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.domains.labels import MarkedLabels, as_label_array, plain_label


class StackedDomains(NamedTuple):
    """Rows of several domains; unpack as ``X, y, sample_domain``.

    Attributes
    ----------
    X : sparse matrix, array or data frame of shape (n_rows, n_terms)
        Documents of all domains, one per row.
    y : array of object of shape (n_rows,)
        Labels; None for unlabeled rows.
    sample_domain : array of int of shape (n_rows,)
        Domain of every row: 0 and above for sources, below 0 for targets.

    Examples
    --------
    >>> from isthmus import stack_domains
    >>> stacked = stack_domains({"books": ([[1, 0], [0, 1]], ["good", "bad"])}, {"dvd": [[1, 1]]})
    >>> stacked.sample_domain.tolist(), stacked.rows(-1).tolist()
    ([0, 0, -1], [2])
    """

    X: Any
    y: NDArray[Any]
    sample_domain: NDArray[np.int64]

    def rows(self, number: int) -> NDArray[np.intp]:
        """Return the positions of the rows of a domain.

        Parameters
        ----------
        number : int
            Number of the domain.

        Returns
        -------
        array of int
            Positions of its rows, in ascending order.
        """
        return np.flatnonzero(self.sample_domain == number)


def stack_domains(sources: Mapping[str, Any], targets: Mapping[str, Any]) -> StackedDomains:
    """Stack named source and target domains into ``X, y, sample_domain``.

    Parameters
    ----------
    sources : mapping of name to (X, y)
        Labeled domains, numbered 0, 1, ... in the order of the mapping. Labels may be text or
        numbers; ``None`` marks an unlabeled row.
    targets : mapping of name to X or (X, y)
        Domains to be labeled, numbered -1, -2, ... in the order of the mapping.

    Returns
    -------
    StackedDomains
        ``X``, ``y`` and ``sample_domain``, the arguments of every estimator. In ``y`` only ``None``
        marks an unlabeled row, so -1 may be a class. (If you convert ``y`` to a list or another
        array and -1 is one of three or more classes, pass ``missing_label=None`` too.)

    Examples
    --------
    >>> from isthmus import stack_domains
    >>> X, y, sample_domain = stack_domains(
    ...     {"books": ([[1, 0], [0, 1]], ["good", "bad"])}, {"dvd": [[1, 1]]}
    ... )
    >>> y.tolist(), sample_domain.tolist()
    (['good', 'bad', None], [0, 0, -1])
    """
    for name, domains in (("sources", sources), ("targets", targets)):
        if not isinstance(domains, Mapping):
            raise ValueError(
                f"{name} must map names to documents, as in {{'books': (X, y)}}; got "
                f"{type(domains).__name__}."
            )
    if not sources:
        raise ValueError("No source domain was given: pass at least one with labels.")
    blocks: list[tuple[str, Any]] = []
    labels: list[Any] = []
    numbers: list[NDArray[np.int64]] = []
    named = [(name, i, value) for i, (name, value) in enumerate(sources.items())]
    named += [(name, -1 - i, value) for i, (name, value) in enumerate(targets.items())]
    for name, number, value in named:
        if number >= 0 and not isinstance(value, tuple):
            raise ValueError(f"Source domain {name!r} has no labels: pass a pair (X, y).")
        if isinstance(value, tuple) and len(value) != 2:
            raise ValueError(f"Domain {name!r} has {len(value)} parts: pass a pair (X, y).")
        X, y = value if isinstance(value, tuple) else (value, None)
        X = X if sparse.issparse(X) or hasattr(X, "iloc") else np.asarray(X)
        if len(X.shape) != 2:
            raise ValueError(
                f"Domain {name!r} is not a matrix (shape {X.shape}): convert texts to a matrix "
                "first, for example with TextVectorizer."
            )
        n_rows = X.shape[0]
        domain_labels = np.full(n_rows, None) if y is None else as_label_array(y)
        if domain_labels.ndim != 1:
            raise ValueError(
                f"The labels of domain {name!r} have shape {domain_labels.shape}: pass one per row."
            )
        if len(domain_labels) != n_rows:
            raise ValueError(
                f"Domain {name!r} has {n_rows} documents but {len(domain_labels)} labels: pass one "
                "label per document."
            )
        blocks.append((name, X))
        labels.extend(map(plain_label, domain_labels))
        numbers.append(np.full(n_rows, number, np.int64))
    y_stacked = np.empty(len(labels), object)
    y_stacked[:] = labels
    return StackedDomains(_vstack(blocks), y_stacked.view(MarkedLabels), np.concatenate(numbers))


def _vstack(blocks: list[tuple[str, Any]]) -> Any:
    first_name, first = blocks[0]
    for name, X in blocks[1:]:
        if X.shape[1] != first.shape[1]:
            raise ValueError(
                f"Domain {name!r} has {X.shape[1]} columns but {first_name!r} has "
                f"{first.shape[1]}: use one vocabulary for all domains."
            )
    if all(hasattr(X, "columns") for _, X in blocks):
        return _concat_frames(blocks)
    if any(sparse.issparse(X) for _, X in blocks):
        return sparse.vstack([sparse.csr_array(X) for _, X in blocks], format="csr")
    return np.vstack([np.asarray(X) for _, X in blocks])


def _concat_frames(blocks: list[tuple[str, Any]]) -> Any:
    import pandas as pd  # installed, because the caller has data frames

    first_name, first = blocks[0]
    for name, frame in blocks[1:]:
        if list(frame.columns) != list(first.columns):
            raise ValueError(
                f"Domain {name!r} has other column names than {first_name!r}: use one vocabulary "
                "in one order for all domains."
            )
    return pd.concat([frame for _, frame in blocks], ignore_index=True)
