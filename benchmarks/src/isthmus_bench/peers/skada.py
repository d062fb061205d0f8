"""skada's methods on sparse text, with the conventions of the package's estimators.

Settings are skada's defaults except where a comment explains them. The labels of target documents,
where a problem has some, train the logistic regression after a subspace or a map, and constrain
transport plans. Reweighting methods, JDOT, DASVM and label propagation use source labels only.

Of skada 0.6, these are left out: ``TransferSubspaceLearning`` (needs torch, and changed no label
where it was tried), ``TransferJointMatching`` (fails: its second matrix is not positive definite),
``MMDLSConSMapping`` (takes more than two minutes for 2,000 + 2,000 documents), ``GaussianReweight``
(the ratio of two normal densities in this many dimensions puts all weight on a few documents) and
``JDOTRegressor`` (for numbers, not classes).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from isthmus.domains.labels import code_labels
from isthmus.domains.model import UNLABELED
from isthmus.domains.parse import read_sample_domain
from isthmus_bench.peers.registry import missing_package_error


class SkadaClassifier(ClassifierMixin, BaseEstimator):
    """Base: a truncated SVD of all rows, a method of skada, and a logistic regression.

    skada does not accept sparse matrices, hence the SVD; its rows are scaled to unit norm. Source
    rows without a label are used in the SVD only.

    Parameters
    ----------
    n_components : int, default=50
        Dimensions of the SVD; narrower input is used as it is. Of 50, 100 and 200, 50 is best for
        ``skada-ot-class`` on six development problems of MTrick's Table 1 (92.5, 91.1 and 87.6 %).
    C : float, default=1.0
        Of the logistic regression.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    transduction_ : array of shape (n_rows,)
        The class of every row; labeled rows keep their label.
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {}

    #: All random states are fixed.
    is_random: ClassVar[bool] = False

    _two_classes_only: ClassVar[bool] = False

    def __init__(self, n_components: int = 50, *, C: float = 1.0) -> None:
        self.n_components = n_components
        self.C = C

    def fit(self, X: Any, y: Any, sample_domain: Any) -> Self:
        """Fit labeled rows and predict the others (label None); target domains are below 0."""
        numbers = read_sample_domain(sample_domain, X.shape[0])
        if not (numbers.min() < 0 <= numbers.max()):
            raise ValueError(
                "sample_domain marks no row as source, or none as target: skada needs both, 0 or "
                "above for source rows and below 0 for target rows."
            )
        # A copy, because skada writes into its labels; -1 marks missing labels in skada, too.
        codes, self.classes_ = code_labels(y, None, numbers < 0)
        if self._two_classes_only and len(self.classes_) > 2:
            raise ValueError(
                f"{type(self).__name__} is for two classes and y holds {len(self.classes_)}: "
                "choose another method."
            )
        rows = self._fit_svd(X)
        self.n_dimensions_ = rows.shape[1]
        self._n_sources = int(numbers.max()) + 1
        self._first_target = int(numbers[numbers < 0].max())
        # TCA needs the rows of the sources first, JCPOT the domains in order of their numbers.
        order = np.lexsort((numbers, numbers < 0))
        training = order[(numbers[order] < 0) | (codes[order] != UNLABELED)]
        with _skada(type(self).__name__) as skada:
            self.model_ = self._make_model(skada)
            domains = self._skada_domains(numbers[training])
            self.model_.fit(rows[training], codes[training], sample_domain=domains)
        unknown = np.flatnonzero(codes == UNLABELED)
        if len(unknown):
            codes[unknown] = self._predict_codes(rows[unknown], numbers[unknown])
        self.transduction_ = self.classes_[codes]
        return self

    def predict(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Labels of new documents; without a domain, those of the first target."""
        numbers = np.full(X.shape[0], self._first_target, np.int64)
        if sample_domain is not None:
            numbers = read_sample_domain(sample_domain, X.shape[0])
        return np.asarray(self.classes_[self._predict_codes(self._reduced(X), numbers)])

    @abstractmethod
    def _make_model(self, skada: Any) -> Any:
        """The unfitted pipeline; ``skada`` is the module."""

    def _logistic(self) -> LogisticRegression:
        """The classifier after the adaptation; it uses sample weights if there are any."""
        return LogisticRegression(C=self.C, max_iter=1000).set_fit_request(sample_weight=True)

    def _fit_svd(self, X: Any) -> NDArray[np.float64]:
        from sklearn.decomposition import TruncatedSVD

        self.svd_ = None
        if X.shape[1] > self.n_components:
            # More dimensions than rows would be zero.
            size = min(self.n_components, X.shape[0])
            self.svd_ = TruncatedSVD(size, random_state=0).fit(X)
        return self._reduced(X)

    def _reduced(self, X: Any) -> NDArray[np.float64]:
        from sklearn.preprocessing import normalize

        if self.svd_ is not None:
            X = self.svd_.transform(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return np.asarray(normalize(np.asarray(X, dtype=np.float64)))

    def _skada_domains(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Domains as skada numbers them: sources from 1 on, and no number for both kinds."""
        return np.where(numbers >= 0, numbers + 1, numbers - self._n_sources)

    def _predict_codes(
        self, rows: NDArray[np.float64], numbers: NDArray[np.int64]
    ) -> NDArray[np.intp]:
        # skada's classifiers predict target domains.
        domains = self._skada_domains(np.where(numbers < 0, numbers, self._first_target))
        with _skada(type(self).__name__):
            return np.asarray(self.model_.predict(rows, sample_domain=domains)).astype(np.intp)


@contextmanager
def _skada(needed_by: str) -> Iterator[Any]:
    """The module, with the metadata routing that it needs, which its import would leave on."""
    with config_context(enable_metadata_routing=True):
        try:
            import skada
        except ImportError:
            raise missing_package_error("skada", needed_by) from None
        yield skada


class _SkadaAdapter(SkadaClassifier):
    """Base: an adapter of skada followed by the logistic regression."""

    @abstractmethod
    def _make_adapter(self, skada: Any) -> Any:
        """The unfitted adapter."""

    def _make_model(self, skada: Any) -> Any:
        adapter = self._make_adapter(skada)
        return skada.make_da_pipeline(adapter, self._logistic(), mask_target_labels=False)


def _adapted(class_name: str, adapter: str, **settings: Any) -> type[_SkadaAdapter]:
    """A class for an adapter of skada with some settings."""

    def make(self: SkadaClassifier, skada: Any) -> Any:
        return getattr(skada, adapter)(**settings)

    fields = {"_make_adapter": make, "__module__": __name__, "__doc__": f"{adapter} of skada."}
    return type(class_name, (_SkadaAdapter,), fields)


SkadaCORAL = _adapted("SkadaCORAL", "CORALAdapter")
SkadaTCA = _adapted("SkadaTCA", "TransferComponentAnalysisAdapter")
SkadaOT = _adapted("SkadaOT", "OTMappingAdapter")
SkadaEntropicOT = _adapted("SkadaEntropicOT", "EntropicOTMappingAdapter")
SkadaClassOT = _adapted("SkadaClassOT", "ClassRegularizerOTMappingAdapter")
SkadaLinearOT = _adapted("SkadaLinearOT", "LinearOTMappingAdapter")
SkadaMonge = _adapted("SkadaMonge", "MultiLinearMongeAlignmentAdapter")
# As many steps as skada allows for SkadaOT: after its default of 200, the plan of 2,000 documents
# is far from optimal.
SkadaLabelTransport = _adapted(
    "SkadaLabelTransport", "OTLabelPropAdapter", reg=0, n_iter_max=100_000
)
# The default of POT, which computes the plan: with skada's 1 all rows get the same label.
SkadaJCPOT = _adapted("SkadaJCPOT", "JCPOTLabelPropAdapter", reg=0.1)
SkadaDensityReweight = _adapted("SkadaDensityReweight", "DensityReweightAdapter")
SkadaDiscriminatorReweight = _adapted("SkadaDiscriminatorReweight", "DiscriminatorReweightAdapter")
SkadaNeighborReweight = _adapted("SkadaNeighborReweight", "NearestNeighborReweightAdapter")
SkadaKLIEP = _adapted("SkadaKLIEP", "KLIEPReweightAdapter", gamma=1.0, random_state=0)
SkadaKMM = _adapted("SkadaKMM", "KMMReweightAdapter")
SkadaMMDTarS = _adapted("SkadaMMDTarS", "MMDTarSReweightAdapter", gamma=1.0)


class SkadaSubspaceAlignment(_SkadaAdapter):
    """SubspaceAlignmentAdapter with half of the dimensions: with all, both subspaces are equal."""

    def _make_adapter(self, skada: Any) -> Any:
        size = max(1, self.n_dimensions_ // 2)
        return skada.SubspaceAlignmentAdapter(n_components=size, random_state=0)


class SkadaJDOT(SkadaClassifier):
    """Joint distribution optimal transport."""

    def _make_model(self, skada: Any) -> Any:
        return skada.make_da_pipeline(skada.JDOTClassifier(self._logistic()))


class SkadaGradual(SkadaClassifier):
    """GOAT: self-training on intermediate domains between source and target."""

    def _make_model(self, skada: Any) -> Any:
        from skada._gradual_da import GradualEstimator

        return skada.make_da_pipeline(GradualEstimator(base_estimator=self._logistic()))


class SkadaDASVM(SkadaClassifier):
    """A support vector machine that replaces source documents by target documents."""

    _two_classes_only: ClassVar[bool] = True

    def _make_model(self, skada: Any) -> Any:
        from sklearn.svm import SVC

        return skada.make_da_pipeline(skada.DASVMClassifier(SVC(C=self.C, kernel="linear")))
