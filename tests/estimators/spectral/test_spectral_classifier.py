"""The spectral classifier (SC)."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus import SpectralClassifier
from toy import make_toy


@pytest.mark.parametrize("n_classes", [2, 4])
def test_labels_the_other_documents_of_a_domain(n_classes):
    toy = make_toy((0,), n_classes, n_per_class=30)
    labeled = np.arange(len(toy.y)) % 3 == 0
    model = SpectralClassifier(n_classes).fit(toy.X, np.where(labeled, toy.truth, -1))
    assert np.mean(model.transduction_[~labeled] == toy.truth[~labeled]) > 0.9
