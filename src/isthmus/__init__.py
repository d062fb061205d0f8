"""Transfer labels from one body of text to another.

Names are imported on first use, so that ``import isthmus`` is quick. It imports no module of the
standard library either: until the command line has set its handler, Ctrl-C prints a traceback.
"""

from __future__ import annotations

from isthmus._version import __version__

TYPE_CHECKING = False  # type checkers assume that it is true
if TYPE_CHECKING:  # for type checkers and editors; tools/update_generated.py writes this block
    from isthmus._warnings import VerdictWarning as VerdictWarning
    from isthmus.config import config_context as config_context
    from isthmus.config import get_config as get_config
    from isthmus.config import set_config as set_config
    from isthmus.domains.stack import StackedDomains as StackedDomains
    from isthmus.domains.stack import stack_domains as stack_domains
    from isthmus.estimators.baselines.sklearn_label_spreading import (
        SklearnLabelSpreading as SklearnLabelSpreading,
    )
    from isthmus.estimators.baselines.sklearn_self_training import (
        SklearnSelfTraining as SklearnSelfTraining,
    )
    from isthmus.estimators.baselines.source_logistic import SourceLogistic as SourceLogistic
    from isthmus.estimators.baselines.source_svm import SourceSVM as SourceSVM
    from isthmus.estimators.class_prior.estimation import PriorEstimate as PriorEstimate
    from isthmus.estimators.class_prior.estimation import (
        estimate_class_prior as estimate_class_prior,
    )
    from isthmus.estimators.ensemble.auto import Auto as Auto
    from isthmus.estimators.graph.gfhf import GFHF as GFHF
    from isthmus.estimators.graph.llgc import LLGC as LLGC
    from isthmus.estimators.graph.sgt import SGT as SGT
    from isthmus.estimators.information.cocc import CoCC as CoCC
    from isthmus.estimators.information.ib import InformationBottleneck as InformationBottleneck
    from isthmus.estimators.pivots._pivot_selector import PivotSelector as PivotSelector
    from isthmus.estimators.pivots.msda import MarginalizedDenoising as MarginalizedDenoising
    from isthmus.estimators.pivots.pjnmf import PJNMF as PJNMF
    from isthmus.estimators.pivots.scl import SCL as SCL
    from isthmus.estimators.pivots.sfa import SFA as SFA
    from isthmus.estimators.registry import METHODS as METHODS
    from isthmus.estimators.registry import find_method as find_method
    from isthmus.estimators.reweighting.coral import CORAL as CORAL
    from isthmus.estimators.reweighting.covariate_shift import CovariateShift as CovariateShift
    from isthmus.estimators.reweighting.kmm import KernelMeanMatching as KernelMeanMatching
    from isthmus.estimators.reweighting.lwe import LWE as LWE
    from isthmus.estimators.selection import DomainScorer as DomainScorer
    from isthmus.estimators.selection import SourceFolds as SourceFolds
    from isthmus.estimators.self_training.coda import CODA as CODA
    from isthmus.estimators.self_training.mct import MCT as MCT
    from isthmus.estimators.self_training.self_training import SelfTraining as SelfTraining
    from isthmus.estimators.self_training.tsvm import TSVM as TSVM
    from isthmus.estimators.spectral.cdsc import CDSC as CDSC
    from isthmus.estimators.spectral.ncut import NormalizedCut as NormalizedCut
    from isthmus.estimators.spectral.pca_kmeans import PCAKMeansClusterer as PCAKMeansClusterer
    from isthmus.estimators.spectral.spectral_classifier import (
        SpectralClassifier as SpectralClassifier,
    )
    from isthmus.estimators.subspace.asi import ASI as ASI
    from isthmus.estimators.subspace.kmeans import KMeansClusterer as KMeansClusterer
    from isthmus.estimators.subspace.lssmtc import LSSMTC as LSSMTC
    from isthmus.estimators.subspace.lssttc import LSSTTC as LSSTTC
    from isthmus.estimators.tri_factorization.dkt import DKT as DKT
    from isthmus.estimators.tri_factorization.ktw import KTW as KTW
    from isthmus.estimators.tri_factorization.mtrick import MTrick as MTrick
    from isthmus.estimators.tri_factorization.mtrick0 import MTrick0 as MTrick0
    from isthmus.estimators.tri_factorization.plsa import PLSA as PLSA
    from isthmus.evaluation.accuracy import paired_test as paired_test
    from isthmus.evaluation.clustering import clustering_accuracy as clustering_accuracy
    from isthmus.evaluation.clustering import clustering_nmi as clustering_nmi
    from isthmus.evaluation.domain_similarity import proxy_a_distance as proxy_a_distance
    from isthmus.evaluation.domain_similarity import word_cluster_overlap as word_cluster_overlap
    from isthmus.matrices.dask.matrix import DistributedMatrix as DistributedMatrix
    from isthmus.matrices.engines import EngineError as EngineError
    from isthmus.storage.container import ModelFileError as ModelFileError
    from isthmus.text.bilingual_vectorizer import BilingualVectorizer as BilingualVectorizer
    from isthmus.text.character_vectorizer import CharacterVectorizer as CharacterVectorizer
    from isthmus.text.dictionaries import BilingualDictionary as BilingualDictionary
    from isthmus.text.dictionaries import read_dictionary as read_dictionary
    from isthmus.text.vectorizer import TextVectorizer as TextVectorizer
    from isthmus.text.weighting import ColumnNormalizer as ColumnNormalizer
    from isthmus.text.weighting import make_weighting as make_weighting
    from isthmus.transfer.model import Transfer as Transfer
    from isthmus.transfer.saving import load as load
    from isthmus.transfer.text_files import TextFiles as TextFiles

_OTHER_NAMES = {
    "METHODS": "isthmus.estimators.registry",
    "BilingualDictionary": "isthmus.text.dictionaries",
    "BilingualVectorizer": "isthmus.text.bilingual_vectorizer",
    "CharacterVectorizer": "isthmus.text.character_vectorizer",
    "ColumnNormalizer": "isthmus.text.weighting",
    "DistributedMatrix": "isthmus.matrices.dask.matrix",
    "DomainScorer": "isthmus.estimators.selection",
    "EngineError": "isthmus.matrices.engines",
    "ModelFileError": "isthmus.storage.container",
    "PivotSelector": "isthmus.estimators.pivots._pivot_selector",
    "PriorEstimate": "isthmus.estimators.class_prior.estimation",
    "SourceFolds": "isthmus.estimators.selection",
    "StackedDomains": "isthmus.domains.stack",
    "TextFiles": "isthmus.transfer.text_files",
    "TextVectorizer": "isthmus.text.vectorizer",
    "Transfer": "isthmus.transfer.model",
    "VerdictWarning": "isthmus._warnings",
    "clustering_accuracy": "isthmus.evaluation.clustering",
    "clustering_nmi": "isthmus.evaluation.clustering",
    "config_context": "isthmus.config",
    "estimate_class_prior": "isthmus.estimators.class_prior.estimation",
    "find_method": "isthmus.estimators.registry",
    "get_config": "isthmus.config",
    "load": "isthmus.transfer.saving",
    "make_weighting": "isthmus.text.weighting",
    "paired_test": "isthmus.evaluation.accuracy",
    "proxy_a_distance": "isthmus.evaluation.domain_similarity",
    "read_dictionary": "isthmus.text.dictionaries",
    "set_config": "isthmus.config",
    "stack_domains": "isthmus.domains.stack",
    "word_cluster_overlap": "isthmus.evaluation.domain_similarity",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "_MODULES":
        value: object = _modules()
    elif name == "__all__":
        value = ["__version__", *_modules()]
    elif name in _OTHER_NAMES or (not name.startswith("_") and name in _modules()):
        value = getattr(import_module(_modules()[name]), name)
    else:
        raise AttributeError(f"module 'isthmus' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), "__all__", "__version__", *_modules()})


def _modules() -> dict[str, str]:
    """Return the modules that define the public names, by name."""
    from isthmus.estimators.registry import METHODS

    return {method.class_name: method.module for method in METHODS.values()} | _OTHER_NAMES
