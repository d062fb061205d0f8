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
    title : str
        "LABEL: what it does", or only what it does if the label is the name.
    reference : str
        Authors, conference and year of the paper, in short.
    estimator : str
        Where the class is: ``module:class``.
    kind : {"classifier", "clusterer", "transformer"}
        What the estimator is.
    revision : int
        Increased when a change may move results, so that old benchmark results are not shown.

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
    title: str
    reference: str
    estimator: str
    kind: Kind = "classifier"
    revision: int = 1

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

    @property
    def preset_weightings(self) -> dict[str, str]:
        """Weighting of the words by preset, for presets whose paper names one."""
        return dict(getattr(self.estimator_class, "_preset_weighting", {}))

    @property
    def engines(self) -> tuple[str, ...]:
        """Engines that the method runs on, from "cpu", "gpu" and "dask"."""
        return tuple(self.estimator_class._engines)

    @property
    def has_objective(self) -> bool:
        """Whether a fit records ``objective_``, one value per iteration."""
        return bool(getattr(self.estimator_class, "_has_objective", False))

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

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "auto",
            "Auto: several methods, combined, refined and judged",
            "Isthmus",
            "isthmus.estimators.ensemble.auto:Auto",
            revision=4,
        ),
        Method(
            "mtrick",
            "MTrick: joint tri-factorization of sources and targets with shared associations",
            _MTRICK,
            "isthmus.estimators.tri_factorization.mtrick:MTrick",
            revision=2,
        ),
        Method(
            "mtrick0",
            "MTrick0: tri-factorization of the source first, then of the target",
            _MTRICK,
            "isthmus.estimators.tri_factorization.mtrick0:MTrick0",
            revision=2,
        ),
        Method(
            "dkt",
            "DKT: tri-factorization with labels in any domain; the choice across languages",
            _DKT,
            "isthmus.estimators.tri_factorization.dkt:DKT",
            revision=2,
        ),
        Method(
            "ktw",
            "KTW: tri-factorization of the target with the word clusters of the source",
            "Li et al., SIGIR 2009",
            "isthmus.estimators.tri_factorization.ktw:KTW",
            revision=2,
        ),
        Method(
            "cdsc",
            "CDSC: spectral classification by a cut of all documents and of the target alone",
            "Ling et al., KDD 2008",
            "isthmus.estimators.spectral.cdsc:CDSC",
        ),
        Method(
            "sc",
            "SC: spectral learning with similarities set by the labels",
            "Kamvar et al., IJCAI 2003",
            "isthmus.estimators.spectral.spectral_classifier:SpectralClassifier",
        ),
        Method(
            "lssttc",
            "LSSTTC: centroids of each domain, and of all domains in a shared subspace",
            _LSS,
            "isthmus.estimators.subspace.lssttc:LSSTTC",
        ),
        Method(
            "scl",
            "SCL: features from the pivots that the other words predict",
            "Blitzer et al., EMNLP 2006, ACL 2007",
            "isthmus.estimators.pivots.scl:SCL",
        ),
        Method(
            "sfa",
            "SFA: features from the pivots that the other words occur with",
            "Pan et al., WWW 2010",
            "isthmus.estimators.pivots.sfa:SFA",
        ),
        Method(
            "msda",
            "mSDA: features from marginalized denoising of frequent words, without pivots",
            "Chen et al., ICML 2012",
            "isthmus.estimators.pivots.msda:MarginalizedDenoising",
        ),
        Method(
            "lssmtc",
            "LSSMTC: clusters of several tasks in a shared subspace",
            _LSS,
            "isthmus.estimators.subspace.lssmtc:LSSMTC",
            kind="clusterer",
        ),
        Method(
            "pjnmf",
            "PJNMF: features from topics of pivots that all domains share",
            "Zhou et al., IJCAI 2016",
            "isthmus.estimators.pivots.pjnmf:PJNMF",
        ),
        Method(
            "self-training",
            "Self-training of any classifier, with class quotas",
            "Yarowsky, ACL 1995",
            "isthmus.estimators.self_training.self_training:SelfTraining",
        ),
        Method(
            "mct",
            "MCT: consensus training of SCL classifiers with different pivots",
            "Li and Zong, NLP-KE 2008",
            "isthmus.estimators.self_training.mct:MCT",
        ),
        Method(
            "coda",
            "CODA: co-training of two views of the words",
            "Chen et al., NIPS 2011",
            "isthmus.estimators.self_training.coda:CODA",
            revision=2,
        ),
        Method(
            "tsvm",
            "TSVM: transductive support vector machine",
            "Joachims, ICML 1999",
            "isthmus.estimators.self_training.tsvm:TSVM",
        ),
        Method(
            "covariate-shift",
            "Covariate shift: source documents weighted by how similar they are to the target",
            "Shimodaira, JSPI 2000; Zadrozny, ICML 2004",
            "isthmus.estimators.reweighting.covariate_shift:CovariateShift",
        ),
        Method(
            "lwe",
            "LWE: ensemble of source models, weighted by their agreement with target clusters",
            "Gao et al., KDD 2008",
            "isthmus.estimators.reweighting.lwe:LWE",
        ),
        Method(
            "cocc",
            "CoCC: co-clustering of target documents and words",
            "Dai et al., KDD 2007",
            "isthmus.estimators.information.cocc:CoCC",
        ),
        Method(
            "ib",
            "IB: information bottleneck, documents join the class with the nearest word use",
            "Ling et al., WWW 2008",
            "isthmus.estimators.information.ib:InformationBottleneck",
        ),
        Method(
            "coral",
            "CORAL: source documents with the correlations of the target",
            "Sun, Feng, Saenko, AAAI 2016",
            "isthmus.estimators.reweighting.coral:CORAL",
        ),
        Method(
            "sklearn-self-training",
            "Self-training of scikit-learn, without class quotas",
            "Yarowsky, ACL 1995; scikit-learn",
            "isthmus.estimators.baselines.sklearn_self_training:SklearnSelfTraining",
        ),
        Method(
            "sgt",
            "SGT: spectral graph transducer, a cut of the neighbor graph that fits the labels",
            "Joachims, ICML 2003",
            "isthmus.estimators.graph.sgt:SGT",
        ),
        Method(
            "gfhf",
            "GFHF: harmonic functions on the neighbor graph",
            "Zhu et al., ICML 2003",
            "isthmus.estimators.graph.gfhf:GFHF",
        ),
        Method(
            "llgc",
            "LLGC: label spreading on the neighbor graph with local and global consistency",
            "Zhou et al., NIPS 2003",
            "isthmus.estimators.graph.llgc:LLGC",
        ),
        Method(
            "sklearn-label-spreading",
            "Label spreading of scikit-learn",
            "Zhou et al., NIPS 2003; scikit-learn",
            "isthmus.estimators.baselines.sklearn_label_spreading:SklearnLabelSpreading",
        ),
        Method(
            "lg",
            "LG: logistic regression on the labeled documents alone",
            "baseline",
            "isthmus.estimators.baselines.source_logistic:SourceLogistic",
        ),
        Method(
            "svm",
            "SVM: linear support vector machine on the labeled documents alone",
            "baseline",
            "isthmus.estimators.baselines.source_svm:SourceSVM",
        ),
        Method(
            "kmeans",
            "K-means of each domain, or of all domains together",
            "Lloyd, IEEE Transactions on Information Theory 1982",
            "isthmus.estimators.subspace.kmeans:KMeansClusterer",
            kind="clusterer",
        ),
        Method(
            "pca-kmeans",
            "K-means on the leading principal components",
            "baseline",
            "isthmus.estimators.spectral.pca_kmeans:PCAKMeansClusterer",
            kind="clusterer",
        ),
        Method(
            "ncut",
            "Normalized cut: K-means on eigenvectors of the cosine similarities",
            "Shi and Malik, TPAMI 2000",
            "isthmus.estimators.spectral.ncut:NormalizedCut",
            kind="clusterer",
        ),
        Method(
            "asi",
            "ASI: adaptive subspace iteration, clusters and their subspace in turn",
            "Li et al., SIGIR 2004",
            "isthmus.estimators.subspace.asi:ASI",
            kind="clusterer",
        ),
        Method(
            "plsa",
            "Probabilistic latent semantic analysis of all domains together",
            "Hofmann, Machine Learning 2001",
            "isthmus.estimators.tri_factorization.plsa:PLSA",
            kind="transformer",
            revision=2,
        ),
        Method(
            "kmm",
            "KMM: source documents weighted so that their mean is that of the target",
            "Huang et al., NIPS 2006",
            "isthmus.estimators.reweighting.kmm:KernelMeanMatching",
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
    return _of_kind(name, "classifier", "predicts no labels", "clusterer", "isthmus cluster")


def find_clusterer(name: str) -> Method:
    """The clusterer with this name; other methods raise ValueError."""
    return _of_kind(name, "clusterer", "finds no clusters", "classifier", "isthmus classify")


def _of_kind(name: str, kind: Kind, lack: str, other: Kind, command: str) -> Method:
    """A method of one kind; the message names the command for methods of the ``other`` kind."""
    method = find_method(name)
    if method.kind != kind:
        hint = f"use '{command}', or " if method.kind == other else ""
        names = ", ".join(m.name for m in METHODS.values() if m.kind == kind)
        raise ValueError(
            f"The method {method.name!r} is a {method.kind} and {lack}: {hint}choose one of "
            f"{names}."
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
        if kind in (None, method.kind) and engine in method.engines
    ]
