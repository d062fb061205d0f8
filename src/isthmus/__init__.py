"""Carry labels across the gap between two bodies of text.

The names below are imported when they are first used, so that ``import isthmus`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isthmus._version import __version__

if TYPE_CHECKING:
    from isthmus.domains.stack import StackedDomains, stack_domains
    from isthmus.estimators.asi import ASI
    from isthmus.estimators.cdsc import CDSC
    from isthmus.estimators.cocc import CoCC
    from isthmus.estimators.coda import CODA
    from isthmus.estimators.coral import CORAL
    from isthmus.estimators.covariate_shift import CovariateShift
    from isthmus.estimators.denoising import MarginalizedDenoising
    from isthmus.estimators.dkt import DKT
    from isthmus.estimators.gfhf import GFHF
    from isthmus.estimators.ib import InformationBottleneck
    from isthmus.estimators.kmeans import KMeansClusterer
    from isthmus.estimators.ktw import KTW
    from isthmus.estimators.llgc import LLGC
    from isthmus.estimators.lssmtc import LSSMTC
    from isthmus.estimators.lssttc import LSSTTC
    from isthmus.estimators.lwe import LWE
    from isthmus.estimators.mct import MCT
    from isthmus.estimators.mtrick import MTrick
    from isthmus.estimators.mtrick0 import MTrick0
    from isthmus.estimators.ncut import NormalizedCut
    from isthmus.estimators.pca_kmeans import PCAKMeansClusterer
    from isthmus.estimators.pivots import PivotSelector
    from isthmus.estimators.pjnmf import PJNMF
    from isthmus.estimators.plsa import PLSA
    from isthmus.estimators.prior_estimation import PriorEstimate, estimate_class_prior
    from isthmus.estimators.registry import METHODS, find_method
    from isthmus.estimators.scl import SCL
    from isthmus.estimators.selection import DomainScorer, SourceFolds
    from isthmus.estimators.self_training import SelfTraining
    from isthmus.estimators.sfa import SFA
    from isthmus.estimators.sgt import SGT
    from isthmus.estimators.sklearn_label_spreading import SklearnLabelSpreading
    from isthmus.estimators.sklearn_self_training import SklearnSelfTraining
    from isthmus.estimators.source_only import SourceLogistic, SourceSVM
    from isthmus.estimators.spectral_classifier import SpectralClassifier
    from isthmus.estimators.tsvm import TSVM
    from isthmus.reports.clustering import clustering_accuracy, clustering_nmi
    from isthmus.reports.paired import paired_test
    from isthmus.storage.container import ModelFileError
    from isthmus.text.bilingual import BilingualVectorizer
    from isthmus.text.dictionaries import BilingualDictionary, read_dictionary
    from isthmus.text.vectorizer import TextVectorizer
    from isthmus.text.weighting import ColumnNormalizer, make_weighting
    from isthmus.transfer.model import Transfer
    from isthmus.transfer.saving import load

_HOMES = {
    "ASI": "isthmus.estimators.asi",
    "CDSC": "isthmus.estimators.cdsc",
    "CODA": "isthmus.estimators.coda",
    "CORAL": "isthmus.estimators.coral",
    "DKT": "isthmus.estimators.dkt",
    "GFHF": "isthmus.estimators.gfhf",
    "LLGC": "isthmus.estimators.llgc",
    "SGT": "isthmus.estimators.sgt",
    "SklearnLabelSpreading": "isthmus.estimators.sklearn_label_spreading",
    "KTW": "isthmus.estimators.ktw",
    "LSSMTC": "isthmus.estimators.lssmtc",
    "LSSTTC": "isthmus.estimators.lssttc",
    "LWE": "isthmus.estimators.lwe",
    "MCT": "isthmus.estimators.mct",
    "METHODS": "isthmus.estimators.registry",
    "PJNMF": "isthmus.estimators.pjnmf",
    "PLSA": "isthmus.estimators.plsa",
    "SCL": "isthmus.estimators.scl",
    "SFA": "isthmus.estimators.sfa",
    "TSVM": "isthmus.estimators.tsvm",
    "SelfTraining": "isthmus.estimators.self_training",
    "BilingualDictionary": "isthmus.text.dictionaries",
    "BilingualVectorizer": "isthmus.text.bilingual",
    "CoCC": "isthmus.estimators.cocc",
    "ColumnNormalizer": "isthmus.text.weighting",
    "CovariateShift": "isthmus.estimators.covariate_shift",
    "DomainScorer": "isthmus.estimators.selection",
    "InformationBottleneck": "isthmus.estimators.ib",
    "KMeansClusterer": "isthmus.estimators.kmeans",
    "MTrick": "isthmus.estimators.mtrick",
    "MTrick0": "isthmus.estimators.mtrick0",
    "MarginalizedDenoising": "isthmus.estimators.denoising",
    "ModelFileError": "isthmus.storage.container",
    "NormalizedCut": "isthmus.estimators.ncut",
    "PCAKMeansClusterer": "isthmus.estimators.pca_kmeans",
    "PivotSelector": "isthmus.estimators.pivots",
    "PriorEstimate": "isthmus.estimators.prior_estimation",
    "SklearnSelfTraining": "isthmus.estimators.sklearn_self_training",
    "SourceFolds": "isthmus.estimators.selection",
    "SourceLogistic": "isthmus.estimators.source_only",
    "SourceSVM": "isthmus.estimators.source_only",
    "SpectralClassifier": "isthmus.estimators.spectral_classifier",
    "StackedDomains": "isthmus.domains.stack",
    "TextVectorizer": "isthmus.text.vectorizer",
    "Transfer": "isthmus.transfer.model",
    "clustering_accuracy": "isthmus.reports.clustering",
    "clustering_nmi": "isthmus.reports.clustering",
    "estimate_class_prior": "isthmus.estimators.prior_estimation",
    "find_method": "isthmus.estimators.registry",
    "load": "isthmus.transfer.saving",
    "make_weighting": "isthmus.text.weighting",
    "paired_test": "isthmus.reports.paired",
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
