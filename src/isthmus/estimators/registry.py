"""All methods, one row each. The command line, the laboratory, the documentation and the contract
tests read this list.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

Kind = Literal["classifier", "clusterer", "transformer"]


@dataclass(frozen=True)
class Method:
    """A method and where its estimator lives; the module is imported on first use.

    Attributes
    ----------
    name : str
        Name of the method, as in ``Transfer("mtrick")`` and ``--method mtrick``.
    kind : {"classifier", "clusterer", "transformer"}
        What the estimator is.
    title : str
        "LABEL: what it does", or only what it does if the label is the name.
    reference : str
        Authors, conference and year of the paper, in short.
    estimator : str
        Where the class is: ``module:class``.
    revision : int
        Increased when a change may move results, so that old benchmark results are not shown.
    has_objective : bool
        Whether a fit records ``objective_``, one value per iteration.
    monotone : bool
        Whether the objective (or the negative log-likelihood) never increases.
    engines : tuple of str
        Engines that the method runs on.
    toy_accuracy : float
        Least accuracy on the generated problem of the contract tests (tests/toy.py).
    toy_reason : str
        Why ``toy_accuracy`` is below its default.

    Examples
    --------
    >>> from isthmus import find_method
    >>> method = find_method("mtrick")
    >>> method.reference, method.presets
    ('Zhuang et al., SDM 2010', ('paper',))
    >>> method.build("paper", max_iter=10).n_word_clusters
    50
    """

    name: str
    kind: Kind
    title: str
    reference: str
    estimator: str
    revision: int = 1
    has_objective: bool = False
    monotone: bool = False
    engines: tuple[str, ...] = ("cpu",)
    toy_accuracy: float = 0.9
    toy_reason: str = ""

    @property
    def short(self) -> str:
        """Label in tables: the title up to its colon, or else the name."""
        label, colon, _ = self.title.partition(":")
        return label if colon else self.name

    @property
    def summary(self) -> str:
        """What the method does: the title without the label."""
        label, colon, rest = self.title.partition(": ")
        return rest if colon else label

    @property
    def family(self) -> str:
        """The folder of the estimator."""
        return self.estimator.split(".")[-2]

    @property
    def module(self) -> str:
        """The module that defines the estimator."""
        return self.estimator.partition(":")[0]

    @property
    def class_name(self) -> str:
        """Name of the estimator class."""
        return self.estimator.partition(":")[2]

    @property
    def estimator_class(self) -> Any:
        """The estimator class, which is imported now."""
        return getattr(import_module(self.module), self.class_name)

    @property
    def presets(self) -> tuple[str, ...]:
        """Names of the presets of its parameters."""
        return tuple(self.estimator_class._presets)

    def build(self, preset: str | None = None, **parameters: Any) -> Any:
        """Create an estimator.

        Parameters
        ----------
        preset : str, default=None
            Name of a preset, such as "paper". None means the defaults.
        **parameters : dict
            Further parameters by name.

        Returns
        -------
        estimator
            An unfitted estimator.
        """
        cls = self.estimator_class
        estimator = cls() if preset is None else cls.from_preset(preset)
        return estimator.set_params(**parameters)


_MTRICK = "Zhuang et al., SDM 2010"
_DKT = "Wang et al., SIGIR 2011"
_LSS = "Gu and Zhou, ICDM 2009"

_ALL_ENGINES = ("cpu", "gpu", "dask")
_ONE_MACHINE = ("cpu", "gpu")

_SOURCE_WORDS_ONLY = "It does not use the words that only the target has."
_ONE_DOMAIN = "The method was made for documents of one domain."

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "auto",
            "classifier",
            "Auto: several methods, combined, refined and judged",
            "Isthmus",
            "isthmus.estimators.ensemble.auto:Auto",
            revision=4,
            engines=_ALL_ENGINES,
        ),
        Method(
            "mtrick",
            "classifier",
            "MTrick: joint tri-factorization of sources and targets with shared associations",
            _MTRICK,
            "isthmus.estimators.tri_factorization.mtrick:MTrick",
            revision=2,
            has_objective=True,
            engines=_ALL_ENGINES,
        ),
        Method(
            "mtrick0",
            "classifier",
            "MTrick0: tri-factorization of the source first, then of the target",
            _MTRICK,
            "isthmus.estimators.tri_factorization.mtrick0:MTrick0",
            revision=2,
            has_objective=True,
            engines=_ALL_ENGINES,
        ),
        Method(
            "dkt",
            "classifier",
            "DKT: tri-factorization with labels in any domain; the choice across languages",
            _DKT,
            "isthmus.estimators.tri_factorization.dkt:DKT",
            revision=2,
            has_objective=True,
            monotone=True,
            engines=_ALL_ENGINES,
        ),
        Method(
            "ktw",
            "classifier",
            "KTW: tri-factorization of the target with the word clusters of the source",
            "Li et al., SIGIR 2009",
            "isthmus.estimators.tri_factorization.ktw:KTW",
            revision=2,
            has_objective=True,
            monotone=True,
            toy_accuracy=0.8,
            toy_reason="It keeps to the words of the source, of which the toy problem has few.",
            engines=_ALL_ENGINES,
        ),
        Method(
            "cdsc",
            "classifier",
            "CDSC: spectral classification by a cut of all documents and of the target alone",
            "Ling et al., KDD 2008",
            "isthmus.estimators.spectral.cdsc:CDSC",
            engines=_ONE_MACHINE,
        ),
        Method(
            "sc",
            "classifier",
            "SC: spectral learning with similarities set by the labels",
            "Kamvar et al., IJCAI 2003",
            "isthmus.estimators.spectral.spectral_classifier:SpectralClassifier",
            toy_accuracy=0.0,
            toy_reason=_ONE_DOMAIN,
        ),
        Method(
            "lssttc",
            "classifier",
            "LSSTTC: centroids of each domain, and of all domains in a shared subspace",
            _LSS,
            "isthmus.estimators.subspace.lssttc:LSSTTC",
            has_objective=True,
            engines=_ALL_ENGINES,
        ),
        Method(
            "scl",
            "classifier",
            "SCL: features from the pivots that the other words predict",
            "Blitzer et al., EMNLP 2006, ACL 2007",
            "isthmus.estimators.pivots.scl:SCL",
        ),
        Method(
            "sfa",
            "classifier",
            "SFA: features from the pivots that the other words occur with",
            "Pan et al., WWW 2010",
            "isthmus.estimators.pivots.sfa:SFA",
            engines=_ALL_ENGINES,
        ),
        Method(
            "msda",
            "classifier",
            "mSDA: features from marginalized denoising of frequent words, without pivots",
            "Chen et al., ICML 2012",
            "isthmus.estimators.pivots.msda:MarginalizedDenoising",
        ),
        Method(
            "lssmtc",
            "clusterer",
            "LSSMTC: clusters of several tasks in a shared subspace",
            _LSS,
            "isthmus.estimators.subspace.lssmtc:LSSMTC",
            has_objective=True,
        ),
        Method(
            "pjnmf",
            "classifier",
            "PJNMF: features from topics of pivots that all domains share",
            "Zhou et al., IJCAI 2016",
            "isthmus.estimators.pivots.pjnmf:PJNMF",
            has_objective=True,
            monotone=True,
            toy_accuracy=0.8,
            toy_reason="The toy problem has only a dozen pivots, and the start is random.",
            engines=_ONE_MACHINE,
        ),
        Method(
            "self-training",
            "classifier",
            "Self-training of any classifier, with class quotas",
            "Yarowsky, ACL 1995",
            "isthmus.estimators.self_training.self_training:SelfTraining",
            engines=_ALL_ENGINES,
        ),
        Method(
            "mct",
            "classifier",
            "MCT: consensus training of SCL classifiers with different pivots",
            "Li and Zong, NLP-KE 2008",
            "isthmus.estimators.self_training.mct:MCT",
        ),
        Method(
            "coda",
            "classifier",
            "CODA: co-training of two views of the words",
            "Chen et al., NIPS 2011",
            "isthmus.estimators.self_training.coda:CODA",
            revision=2,
        ),
        Method(
            "tsvm",
            "classifier",
            "TSVM: transductive support vector machine",
            "Joachims, ICML 1999",
            "isthmus.estimators.self_training.tsvm:TSVM",
            has_objective=True,
        ),
        Method(
            "covariate-shift",
            "classifier",
            "Covariate shift: source documents weighted by how similar they are to the target",
            "Shimodaira, JSPI 2000; Zadrozny, ICML 2004",
            "isthmus.estimators.reweighting.covariate_shift:CovariateShift",
            toy_accuracy=0.5,
            toy_reason=_SOURCE_WORDS_ONLY,
        ),
        Method(
            "lwe",
            "classifier",
            "LWE: ensemble of source models, weighted by their agreement with target clusters",
            "Gao et al., KDD 2008",
            "isthmus.estimators.reweighting.lwe:LWE",
        ),
        Method(
            "cocc",
            "classifier",
            "CoCC: co-clustering of target documents and words",
            "Dai et al., KDD 2007",
            "isthmus.estimators.information.cocc:CoCC",
            has_objective=True,
            monotone=True,
            engines=_ALL_ENGINES,
        ),
        Method(
            "ib",
            "classifier",
            "IB: information bottleneck, documents join the class with the nearest word use",
            "Ling et al., WWW 2008",
            "isthmus.estimators.information.ib:InformationBottleneck",
            has_objective=True,
            monotone=True,
            engines=_ONE_MACHINE,
        ),
        Method(
            "coral",
            "classifier",
            "CORAL: source documents with the correlations of the target",
            "Sun, Feng, Saenko, AAAI 2016",
            "isthmus.estimators.reweighting.coral:CORAL",
            toy_accuracy=0.5,
            toy_reason=_SOURCE_WORDS_ONLY,
        ),
        Method(
            "sklearn-self-training",
            "classifier",
            "Self-training of scikit-learn, without class quotas",
            "Yarowsky, ACL 1995; scikit-learn",
            "isthmus.estimators.baselines.sklearn_self_training:SklearnSelfTraining",
            toy_accuracy=0.5,
            toy_reason="Few labels are certain enough on so small a source.",
        ),
        Method(
            "sgt",
            "classifier",
            "SGT: spectral graph transducer, a cut of the neighbor graph that fits the labels",
            "Joachims, ICML 2003",
            "isthmus.estimators.graph.sgt:SGT",
        ),
        Method(
            "gfhf",
            "classifier",
            "GFHF: harmonic functions on the neighbor graph",
            "Zhu et al., ICML 2003",
            "isthmus.estimators.graph.gfhf:GFHF",
        ),
        Method(
            "llgc",
            "classifier",
            "LLGC: label spreading on the neighbor graph with local and global consistency",
            "Zhou et al., NIPS 2003",
            "isthmus.estimators.graph.llgc:LLGC",
        ),
        Method(
            "sklearn-label-spreading",
            "classifier",
            "Label spreading of scikit-learn",
            "Zhou et al., NIPS 2003; scikit-learn",
            "isthmus.estimators.baselines.sklearn_label_spreading:SklearnLabelSpreading",
            toy_accuracy=0.0,
            toy_reason=_ONE_DOMAIN,
        ),
        Method(
            "lg",
            "classifier",
            "LG: logistic regression on the labeled documents alone",
            "baseline",
            "isthmus.estimators.baselines.source_logistic:SourceLogistic",
            toy_accuracy=0.5,
            toy_reason=_SOURCE_WORDS_ONLY,
            engines=_ALL_ENGINES,
        ),
        Method(
            "svm",
            "classifier",
            "SVM: linear support vector machine on the labeled documents alone",
            "baseline",
            "isthmus.estimators.baselines.source_svm:SourceSVM",
            toy_accuracy=0.5,
            toy_reason=_SOURCE_WORDS_ONLY,
            engines=_ALL_ENGINES,
        ),
        Method(
            "kmeans",
            "clusterer",
            "K-means of each domain, or of all domains together",
            "Lloyd, IEEE Transactions on Information Theory 1982",
            "isthmus.estimators.subspace.kmeans:KMeansClusterer",
        ),
        Method(
            "pca-kmeans",
            "clusterer",
            "K-means on the leading principal components",
            "baseline",
            "isthmus.estimators.spectral.pca_kmeans:PCAKMeansClusterer",
        ),
        Method(
            "ncut",
            "clusterer",
            "Normalized cut: K-means on eigenvectors of the cosine similarities",
            "Shi and Malik, TPAMI 2000",
            "isthmus.estimators.spectral.ncut:NormalizedCut",
        ),
        Method(
            "asi",
            "clusterer",
            "ASI: adaptive subspace iteration, clusters and their subspace in turn",
            "Li et al., SIGIR 2004",
            "isthmus.estimators.subspace.asi:ASI",
            has_objective=True,
            monotone=True,
        ),
        Method(
            "plsa",
            "transformer",
            "Probabilistic latent semantic analysis of all domains together",
            "Hofmann, Machine Learning 2001",
            "isthmus.estimators.tri_factorization.plsa:PLSA",
            revision=2,
            monotone=True,
            engines=_ALL_ENGINES,
        ),
        Method(
            "kmm",
            "classifier",
            "KMM: source documents weighted so that their mean is that of the target",
            "Huang et al., NIPS 2006",
            "isthmus.estimators.reweighting.kmm:KernelMeanMatching",
            has_objective=True,
            monotone=True,
            toy_accuracy=0.5,
            toy_reason=_SOURCE_WORDS_ONLY,
        ),
    )
}
"""All methods by name: a dict of str to :class:`~isthmus.estimators.registry.Method`.

Examples
--------
>>> from isthmus import METHODS
>>> METHODS["sfa"].class_name, METHODS["sfa"].engines
('SFA', ('cpu', 'gpu', 'dask'))
>>> "kmeans" in [name for name, method in METHODS.items() if method.kind == "clusterer"]
True
"""


def find_method(name: str) -> Method:
    """Find a method by its name.

    Parameters
    ----------
    name : str
        Name of the method, as ``isthmus methods`` lists it.

    Returns
    -------
    Method
        The method.

    Raises
    ------
    ValueError
        If there is no such method; the message names a similar one.

    Examples
    --------
    >>> from isthmus import find_method
    >>> find_method("sfa").title
    'SFA: features from the pivots that the other words occur with'
    >>> find_method("sfa").build(C=1.0)
    SFA(C=1.0)
    """
    try:
        return METHODS[name]
    except (KeyError, TypeError):
        raise ValueError(
            f"Unknown method {name!r}{_suggestion(name)}; methods are: {', '.join(METHODS)}."
        ) from None


def find_classifier(name: str) -> Method:
    """The classifier with this name; other methods raise ValueError."""
    method = find_method(name)
    if method.kind != "classifier":
        classifiers = ", ".join(m.name for m in METHODS.values() if m.kind == "classifier")
        raise ValueError(
            f"The method {method.name!r} is a {method.kind} and predicts no labels: choose one of "
            f"{classifiers}."
        )
    return method


def _suggestion(name: Any) -> str:
    """A near miss, such as another case, the class name or a typing error."""
    from difflib import get_close_matches

    spellings = {method.class_name.lower(): key for key, method in METHODS.items()}
    spellings |= {key: key for key in METHODS}
    spelling = str(name).lower().replace("_", "-")
    close = get_close_matches(spelling, spellings, n=1, cutoff=0.7)
    return f" (did you mean {spellings[close[0]]!r}?)" if close else ""


def methods_on(engine: str, kind: str | None = None) -> list[str]:
    """Names of the methods that run on an engine, of one kind or of all."""
    return [
        method.name
        for method in METHODS.values()
        if engine in method.engines and kind in (None, method.kind)
    ]


def runs_on(estimator: Any, engine: str) -> bool:
    """Whether an estimator, or the method that it is derived from, runs on an engine."""
    return any(engine in method.engines for method in _methods_of(estimator))


def kind_of(estimator: Any, engine: str = "gpu") -> str | None:
    """The kind of an estimator's method if some method of that kind runs on an engine."""
    kinds = [method.kind for method in _methods_of(estimator) if methods_on(engine, method.kind)]
    return kinds[0] if kinds else None


def _methods_of(estimator: Any) -> list[Method]:
    """The methods that an estimator is, or is derived from."""
    paths = {f"{cls.__module__}:{cls.__name__}" for cls in type(estimator).__mro__}
    return [method for method in METHODS.values() if method.estimator in paths]
