"""Every method, one row each: the contract suite, the benchmark and the command line start here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

Kind = Literal["classifier", "clusterer", "transformer"]


@dataclass(frozen=True)
class Method:
    """A method and where its estimator lives; nothing is imported until it is asked for."""

    name: str
    kind: Kind
    title: str
    reference: str
    estimator: str
    """``module:class``."""
    revision: int = 1
    """Raised whenever a change may move results, so that no stale figure is shown."""
    monotone: bool = False
    """Whether the mathematics promises an objective that never rises."""

    @property
    def short(self) -> str:
        """What tables call it: the title up to its colon, or else the name."""
        first, colon, _ = self.title.partition(":")
        return first if colon else self.name

    @property
    def estimator_class(self) -> Any:
        module, _, name = self.estimator.partition(":")
        return getattr(import_module(module), name)

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(self.estimator_class._presets)

    def build(self, preset: str | None = None, **parameters: Any) -> Any:
        """An estimator with the parameters of a preset (or the defaults) and your own."""
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
            "mtrick",
            "classifier",
            "MTrick: joint tri-factorization with shared associations",
            _MTRICK,
            "isthmus.estimators.tri_factorization.mtrick:MTrick",
            revision=2,
        ),
        Method(
            "mtrick0",
            "classifier",
            "MTrick0: source first, then target with its associations",
            _MTRICK,
            "isthmus.estimators.tri_factorization.mtrick0:MTrick0",
            revision=2,
        ),
        Method(
            "dkt",
            "classifier",
            "DKT: the one to take between languages; labels on either side",
            _DKT,
            "isthmus.estimators.tri_factorization.dkt:DKT",
            revision=2,
            monotone=True,
        ),
        Method(
            "ktw",
            "classifier",
            "KTW: word clusters carried from source to target",
            "Li et al., SIGIR 2009",
            "isthmus.estimators.tri_factorization.ktw:KTW",
            revision=2,
            monotone=True,
        ),
        Method(
            "cdsc",
            "classifier",
            "CDSC: spectral classification, the target's own cut beside the labels",
            "Ling et al., KDD 2008",
            "isthmus.estimators.spectral.cdsc:CDSC",
        ),
        Method(
            "sc",
            "classifier",
            "SC: spectral learning, labels written over similarities",
            "Kamvar et al., IJCAI 2003",
            "isthmus.estimators.spectral.spectral_classifier:SpectralClassifier",
        ),
        Method(
            "lssttc",
            "classifier",
            "LSSTTC: centroids of the target, and of all domains in a shared subspace",
            _LSS,
            "isthmus.estimators.subspace.lssttc:LSSTTC",
        ),
        Method(
            "scl",
            "classifier",
            "SCL: words aligned by the pivots they foretell",
            "Blitzer et al., EMNLP 2006, ACL 2007",
            "isthmus.estimators.pivots.scl:SCL",
        ),
        Method(
            "sfa",
            "classifier",
            "SFA: words aligned by the pivots they occur beside",
            "Pan et al., WWW 2010",
            "isthmus.estimators.pivots.sfa:SFA",
        ),
        Method(
            "msda",
            "classifier",
            "mSDA: words beside the frequent words that they let one expect",
            "Chen et al., ICML 2012",
            "isthmus.estimators.pivots.msda:MarginalizedDenoising",
        ),
        Method(
            "lssmtc",
            "clusterer",
            "LSSMTC: clusters of several tasks in a shared subspace",
            _LSS,
            "isthmus.estimators.subspace.lssmtc:LSSMTC",
        ),
        Method(
            "pjnmf",
            "classifier",
            "PJNMF: topics of pivots that all domains share, beside topics of their own",
            "Zhou et al., IJCAI 2016",
            "isthmus.estimators.pivots.pjnmf:PJNMF",
            monotone=True,
        ),
        Method(
            "self-training",
            "classifier",
            "Self-training with class quotas around any of these",
            "Yarowsky, ACL 1995",
            "isthmus.estimators.self_training.self_training:SelfTraining",
        ),
        Method(
            "mct",
            "classifier",
            "MCT: SCL with several kinds of pivots, taught what they agree on",
            "Li and Zong, NLP-KE 2008",
            "isthmus.estimators.self_training.mct:MCT",
        ),
        Method(
            "coda",
            "classifier",
            "CODA: two views of the words that teach each other",
            "Chen et al., NIPS 2011",
            "isthmus.estimators.self_training.coda:CODA",
        ),
        Method(
            "tsvm",
            "classifier",
            "TSVM: a margin through the gaps between the target's documents",
            "Joachims, ICML 1999",
            "isthmus.estimators.self_training.tsvm:TSVM",
        ),
        Method(
            "covariate-shift",
            "classifier",
            "Covariate shift: source documents weighed by how target-like they are",
            "Shimodaira, JSPI 2000; Zadrozny, ICML 2004",
            "isthmus.estimators.reweighting.covariate_shift:CovariateShift",
        ),
        Method(
            "lwe",
            "classifier",
            "LWE: models of the source, weighed by how well they fit the target's clusters",
            "Gao et al., KDD 2008",
            "isthmus.estimators.reweighting.lwe:LWE",
        ),
        Method(
            "cocc",
            "classifier",
            "CoCC: documents and words clustered together, word clusters kept to the labels",
            "Dai et al., KDD 2007",
            "isthmus.estimators.information.cocc:CoCC",
            monotone=True,
        ),
        Method(
            "ib",
            "classifier",
            "IB: documents join the labelled class whose words are nearest",
            "Ling et al., WWW 2008",
            "isthmus.estimators.information.ib:InformationBottleneck",
            monotone=True,
        ),
        Method(
            "coral",
            "classifier",
            "CORAL: the source with the correlations of the target",
            "Sun, Feng, Saenko, AAAI 2016",
            "isthmus.estimators.reweighting.coral:CORAL",
        ),
        Method(
            "sklearn-self-training",
            "classifier",
            "Self-training as scikit-learn has it, without quotas",
            "Yarowsky, ACL 1995; scikit-learn",
            "isthmus.estimators.baselines.sklearn_self_training:SklearnSelfTraining",
        ),
        Method(
            "sgt",
            "classifier",
            "SGT: a cut of the neighbour graph that keeps to the labels",
            "Joachims, ICML 2003",
            "isthmus.estimators.graph.sgt:SGT",
        ),
        Method(
            "gfhf",
            "classifier",
            "GFHF: every document the mean of its neighbours",
            "Zhu et al., ICML 2003",
            "isthmus.estimators.graph.gfhf:GFHF",
        ),
        Method(
            "llgc",
            "classifier",
            "LLGC: labels spread along the graph of neighbours",
            "Zhou et al., NIPS 2003",
            "isthmus.estimators.graph.llgc:LLGC",
        ),
        Method(
            "sklearn-label-spreading",
            "classifier",
            "Label spreading of scikit-learn",
            "Zhou et al., NIPS 2003; scikit-learn",
            "isthmus.estimators.baselines.sklearn_label_spreading:SklearnLabelSpreading",
        ),
        Method(
            "lg",
            "classifier",
            "LG: logistic regression on the source alone",
            "baseline",
            "isthmus.estimators.baselines._source_only:SourceLogistic",
        ),
        Method(
            "svm",
            "classifier",
            "SVM: a linear support vector machine on the source alone",
            "baseline",
            "isthmus.estimators.baselines._source_only:SourceSVM",
        ),
        Method(
            "kmeans",
            "clusterer",
            "K-means of every domain, or of all as one",
            "Lloyd, IEEE Transactions on Information Theory 1982",
            "isthmus.estimators.subspace.kmeans:KMeansClusterer",
        ),
        Method(
            "pca-kmeans",
            "clusterer",
            "K-means in the leading principal components",
            "baseline",
            "isthmus.estimators.spectral.pca_kmeans:PCAKMeansClusterer",
        ),
        Method(
            "ncut",
            "clusterer",
            "Normalised cut: K-means on eigenvectors of the documents' cosines",
            "Shi and Malik, TPAMI 2000",
            "isthmus.estimators.spectral.ncut:NormalizedCut",
        ),
        Method(
            "asi",
            "clusterer",
            "ASI: clusters and their subspace in turn",
            "Li et al., SIGIR 2004",
            "isthmus.estimators.subspace.asi:ASI",
            monotone=True,
        ),
        Method(
            "plsa",
            "transformer",
            "Probabilistic latent semantic analysis",
            "Hofmann, Machine Learning 2001",
            "isthmus.estimators.tri_factorization.plsa:PLSA",
            revision=2,
            monotone=True,
        ),
    )
}


def find_method(name: str) -> Method:
    """The method of that name."""
    try:
        return METHODS[name]
    except KeyError:
        known = ", ".join(METHODS)
        raise ValueError(f"Unknown method {name!r}; methods are: {known}.") from None


def find_classifier(name: str) -> Method:
    """The method by its name, if it gives labels; the error names those that do."""
    method = find_method(name)
    if method.kind != "classifier":
        able = ", ".join(m.name for m in METHODS.values() if m.kind == "classifier")
        raise ValueError(
            f"The method {method.name!r} is a {method.kind} and gives no labels: choose among "
            f"{able}."
        )
    return method
