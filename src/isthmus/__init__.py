"""Transfer labels from one body of text to another.

Names are imported on first use, so that ``import isthmus`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isthmus._version import __version__
from isthmus.estimators.registry import METHODS, find_method

if TYPE_CHECKING:  # for type checkers and editors; tools/update_generated.py writes this block
    from isthmus.domains.stack import StackedDomains, stack_domains
    from isthmus.estimators.baselines.sklearn_label_spreading import SklearnLabelSpreading
    from isthmus.estimators.baselines.sklearn_self_training import SklearnSelfTraining
    from isthmus.estimators.baselines.source_logistic import SourceLogistic
    from isthmus.estimators.baselines.source_svm import SourceSVM
    from isthmus.estimators.class_prior.estimation import PriorEstimate, estimate_class_prior
    from isthmus.estimators.graph.gfhf import GFHF
    from isthmus.estimators.graph.llgc import LLGC
    from isthmus.estimators.graph.sgt import SGT
    from isthmus.estimators.information.cocc import CoCC
    from isthmus.estimators.information.ib import InformationBottleneck
    from isthmus.estimators.pivots._pivot_selector import PivotSelector
    from isthmus.estimators.pivots.msda import MarginalizedDenoising
    from isthmus.estimators.pivots.pjnmf import PJNMF
    from isthmus.estimators.pivots.scl import SCL
    from isthmus.estimators.pivots.sfa import SFA
    from isthmus.estimators.reweighting.coral import CORAL
    from isthmus.estimators.reweighting.covariate_shift import CovariateShift
    from isthmus.estimators.reweighting.kmm import KernelMeanMatching
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
    from isthmus.evaluation.paired_tests import paired_test
    from isthmus.storage.container import ModelFileError
    from isthmus.text.bilingual_vectorizer import BilingualVectorizer
    from isthmus.text.dictionaries import BilingualDictionary, read_dictionary
    from isthmus.text.vectorizer import TextVectorizer
    from isthmus.text.weighting import ColumnNormalizer, make_weighting
    from isthmus.transfer.model import Transfer
    from isthmus.transfer.saving import load

_OTHER_NAMES = {
    "BilingualDictionary": "isthmus.text.dictionaries",
    "BilingualVectorizer": "isthmus.text.bilingual_vectorizer",
    "ColumnNormalizer": "isthmus.text.weighting",
    "DomainScorer": "isthmus.estimators.selection",
    "ModelFileError": "isthmus.storage.container",
    "PivotSelector": "isthmus.estimators.pivots._pivot_selector",
    "PriorEstimate": "isthmus.estimators.class_prior.estimation",
    "SourceFolds": "isthmus.estimators.selection",
    "StackedDomains": "isthmus.domains.stack",
    "TextVectorizer": "isthmus.text.vectorizer",
    "Transfer": "isthmus.transfer.model",
    "clustering_accuracy": "isthmus.evaluation.clustering",
    "clustering_nmi": "isthmus.evaluation.clustering",
    "estimate_class_prior": "isthmus.estimators.class_prior.estimation",
    "load": "isthmus.transfer.saving",
    "make_weighting": "isthmus.text.weighting",
    "paired_test": "isthmus.evaluation.paired_tests",
    "read_dictionary": "isthmus.text.dictionaries",
    "stack_domains": "isthmus.domains.stack",
}
_MODULES = {method.class_name: method.module for method in METHODS.values()} | _OTHER_NAMES

__all__ = ["METHODS", "__version__", "find_method", *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'isthmus' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
