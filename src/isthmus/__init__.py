"""Carry labels across the gap between two bodies of text.

The names below are imported when they are first used, so that ``import isthmus`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isthmus._version import __version__

if TYPE_CHECKING:
    from isthmus.domains.stack import StackedDomains, stack_domains
    from isthmus.estimators.baselines._source_only import SourceLogistic, SourceSVM
    from isthmus.estimators.baselines.sklearn_label_spreading import SklearnLabelSpreading
    from isthmus.estimators.baselines.sklearn_self_training import SklearnSelfTraining
    from isthmus.estimators.class_prior.estimation import PriorEstimate, estimate_class_prior
    from isthmus.estimators.graph.gfhf import GFHF
    from isthmus.estimators.graph.llgc import LLGC
    from isthmus.estimators.graph.sgt import SGT
    from isthmus.estimators.information.cocc import CoCC
    from isthmus.estimators.information.ib import InformationBottleneck
    from isthmus.estimators.pivots.msda import MarginalizedDenoising
    from isthmus.estimators.pivots.pivot_selector import PivotSelector
    from isthmus.estimators.pivots.pjnmf import PJNMF
    from isthmus.estimators.pivots.scl import SCL
    from isthmus.estimators.pivots.sfa import SFA
    from isthmus.estimators.registry import METHODS, find_method
    from isthmus.estimators.reweighting.coral import CORAL
    from isthmus.estimators.reweighting.covariate_shift import CovariateShift
    from isthmus.estimators.reweighting.lwe import LWE
    from isthmus.estimators.selection import DomainScorer, SourceFolds
    from isthmus.estimators.self_training.coda import CODA
    from isthmus.estimators.self_training.mct import MCT
    from isthmus.estimators.self_training.self_training import SelfTraining
    from isthmus.estimators.self_training.tsvm import TSVM
    from isthmus.estimators.spectral.cdsc import CDSC
    from isthmus.estimators.spectral.ncut import NormalizedCut
    from isthmus.estimators.spectral.pca_kmeans import PCAKMeansClusterer
    from isthmus.estimators.spectral.spectral_classifier import SpectralClassifier
    from isthmus.estimators.subspace.asi import ASI
    from isthmus.estimators.subspace.kmeans import KMeansClusterer
    from isthmus.estimators.subspace.lssmtc import LSSMTC
    from isthmus.estimators.subspace.lssttc import LSSTTC
    from isthmus.estimators.tri_factorization.dkt import DKT
    from isthmus.estimators.tri_factorization.ktw import KTW
    from isthmus.estimators.tri_factorization.mtrick import MTrick
    from isthmus.estimators.tri_factorization.mtrick0 import MTrick0
    from isthmus.estimators.tri_factorization.plsa import PLSA
    from isthmus.evaluation.clustering import clustering_accuracy, clustering_nmi
    from isthmus.evaluation.paired import paired_test
    from isthmus.storage.container import ModelFileError
    from isthmus.text.bilingual import BilingualVectorizer
    from isthmus.text.dictionaries import BilingualDictionary, read_dictionary
    from isthmus.text.vectorizer import TextVectorizer
    from isthmus.text.weighting import ColumnNormalizer, make_weighting
    from isthmus.transfer.model import Transfer
    from isthmus.transfer.saving import load

_HOMES = {
    "ASI": "isthmus.estimators.subspace.asi",
    "CDSC": "isthmus.estimators.spectral.cdsc",
    "CODA": "isthmus.estimators.self_training.coda",
    "CORAL": "isthmus.estimators.reweighting.coral",
    "DKT": "isthmus.estimators.tri_factorization.dkt",
    "GFHF": "isthmus.estimators.graph.gfhf",
    "LLGC": "isthmus.estimators.graph.llgc",
    "SGT": "isthmus.estimators.graph.sgt",
    "SklearnLabelSpreading": "isthmus.estimators.baselines.sklearn_label_spreading",
    "KTW": "isthmus.estimators.tri_factorization.ktw",
    "LSSMTC": "isthmus.estimators.subspace.lssmtc",
    "LSSTTC": "isthmus.estimators.subspace.lssttc",
    "LWE": "isthmus.estimators.reweighting.lwe",
    "MCT": "isthmus.estimators.self_training.mct",
    "METHODS": "isthmus.estimators.registry",
    "PJNMF": "isthmus.estimators.pivots.pjnmf",
    "PLSA": "isthmus.estimators.tri_factorization.plsa",
    "SCL": "isthmus.estimators.pivots.scl",
    "SFA": "isthmus.estimators.pivots.sfa",
    "TSVM": "isthmus.estimators.self_training.tsvm",
    "SelfTraining": "isthmus.estimators.self_training.self_training",
    "BilingualDictionary": "isthmus.text.dictionaries",
    "BilingualVectorizer": "isthmus.text.bilingual",
    "CoCC": "isthmus.estimators.information.cocc",
    "ColumnNormalizer": "isthmus.text.weighting",
    "CovariateShift": "isthmus.estimators.reweighting.covariate_shift",
    "DomainScorer": "isthmus.estimators.selection",
    "InformationBottleneck": "isthmus.estimators.information.ib",
    "KMeansClusterer": "isthmus.estimators.subspace.kmeans",
    "MTrick": "isthmus.estimators.tri_factorization.mtrick",
    "MTrick0": "isthmus.estimators.tri_factorization.mtrick0",
    "MarginalizedDenoising": "isthmus.estimators.pivots.msda",
    "ModelFileError": "isthmus.storage.container",
    "NormalizedCut": "isthmus.estimators.spectral.ncut",
    "PCAKMeansClusterer": "isthmus.estimators.spectral.pca_kmeans",
    "PivotSelector": "isthmus.estimators.pivots.pivot_selector",
    "PriorEstimate": "isthmus.estimators.class_prior.estimation",
    "SklearnSelfTraining": "isthmus.estimators.baselines.sklearn_self_training",
    "SourceFolds": "isthmus.estimators.selection",
    "SourceLogistic": "isthmus.estimators.baselines._source_only",
    "SourceSVM": "isthmus.estimators.baselines._source_only",
    "SpectralClassifier": "isthmus.estimators.spectral.spectral_classifier",
    "StackedDomains": "isthmus.domains.stack",
    "TextVectorizer": "isthmus.text.vectorizer",
    "Transfer": "isthmus.transfer.model",
    "clustering_accuracy": "isthmus.evaluation.clustering",
    "clustering_nmi": "isthmus.evaluation.clustering",
    "estimate_class_prior": "isthmus.estimators.class_prior.estimation",
    "find_method": "isthmus.estimators.registry",
    "load": "isthmus.transfer.saving",
    "make_weighting": "isthmus.text.weighting",
    "paired_test": "isthmus.evaluation.paired",
    "read_dictionary": "isthmus.text.dictionaries",
    "stack_domains": "isthmus.domains.stack",
}

__all__ = [
    "ASI",
    "CDSC",
    "CODA",
    "CORAL",
    "DKT",
    "GFHF",
    "KTW",
    "LLGC",
    "LSSMTC",
    "LSSTTC",
    "LWE",
    "MCT",
    "METHODS",
    "PJNMF",
    "PLSA",
    "SCL",
    "SFA",
    "SGT",
    "TSVM",
    "BilingualDictionary",
    "BilingualVectorizer",
    "CoCC",
    "ColumnNormalizer",
    "CovariateShift",
    "DomainScorer",
    "InformationBottleneck",
    "KMeansClusterer",
    "MTrick",
    "MTrick0",
    "MarginalizedDenoising",
    "ModelFileError",
    "NormalizedCut",
    "PCAKMeansClusterer",
    "PivotSelector",
    "PriorEstimate",
    "SelfTraining",
    "SklearnLabelSpreading",
    "SklearnSelfTraining",
    "SourceFolds",
    "SourceLogistic",
    "SourceSVM",
    "SpectralClassifier",
    "StackedDomains",
    "TextVectorizer",
    "Transfer",
    "__version__",
    "clustering_accuracy",
    "clustering_nmi",
    "estimate_class_prior",
    "find_method",
    "load",
    "make_weighting",
    "paired_test",
    "read_dictionary",
    "stack_domains",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'isthmus' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
