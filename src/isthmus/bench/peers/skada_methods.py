"""The methods of skada that can be made to work on text, one class each.

Settings are skada's own but for those that a comment explains. The labels of target rows, where a
problem has some, teach the logistic regression behind a subspace or a map, and plans of transport
keep to them. Weights are for rows of the source, and JDOT, DASVM and the propagation of labels know
labels of the source alone: these learn nothing from labels of the target.

Left out are, of skada 0.6:

``TransferSubspaceLearning``
    Needs torch, and changed no label where it was tried.
``TransferJointMatching``
    Ends in an error of linear algebra: its second matrix is not positive definite.
``MMDLSConSMapping``
    Takes more than two minutes for a problem of 2,000 + 2,000 documents.
``GaussianReweight``
    The ratio of two normal densities in so many dimensions leaves weight on a handful of rows, and
    every document gets the same label.
``JDOTRegressor``
    Is for numbers, not classes.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from isthmus.bench.peers.skada_classifier import SkadaClassifier


class SkadaAdapter(SkadaClassifier):
    """Base: something that changes, weighs or labels rows, and then the logistic regression."""

    @abstractmethod
    def _make_adapter(self, skada: Any) -> Any:
        """The unfitted adapter."""

    def _make_model(self, skada: Any) -> Any:
        adapter = self._make_adapter(skada)
        return skada.make_da_pipeline(adapter, self._logistic(), mask_target_labels=False)


class SkadaCORAL(SkadaAdapter):
    """The source with the covariance of the target."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.CORALAdapter()


class SkadaSubspaceAlignment(SkadaAdapter):
    """Principal components of the source turned into those of the target."""

    def _make_adapter(self, skada: Any) -> Any:
        # With all dimensions, skada's default, both subspaces are the whole space, and the same.
        size = max(1, self.n_dimensions_ // 2)
        return skada.SubspaceAlignmentAdapter(n_components=size, random_state=0)


class SkadaTCA(SkadaAdapter):
    """Transfer component analysis: components in which the means of the domains meet."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.TransferComponentAnalysisAdapter()


class SkadaOT(SkadaAdapter):
    """Source rows moved to the target by an exact plan of transport."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.OTMappingAdapter()


class SkadaEntropicOT(SkadaAdapter):
    """Source rows moved to the target by a blurred plan of transport."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.EntropicOTMappingAdapter()


class SkadaClassOT(SkadaAdapter):
    """The same with a plan that keeps the classes of the source apart."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.ClassRegularizerOTMappingAdapter()


class SkadaLinearOT(SkadaAdapter):
    """Source rows moved by the linear map between two normal distributions."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.LinearOTMappingAdapter()


class SkadaMonge(SkadaAdapter):
    """All domains moved by linear maps to what lies between them."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.MultiLinearMongeAlignmentAdapter()


class SkadaLabelTransport(SkadaAdapter):
    """Labels, not rows, moved to the target by an exact plan of transport."""

    def _make_adapter(self, skada: Any) -> Any:
        # As many steps as skada allows for SkadaOT: after the 200 that it allows here, the plan of
        # 2,000 documents is far from the best.
        return skada.OTLabelPropAdapter(reg=0, n_iter_max=100_000)


class SkadaJCPOT(SkadaAdapter):
    """Labels moved by a blurred plan, with class shares that are looked for."""

    def _make_adapter(self, skada: Any) -> Any:
        # The default of POT, which does the work: with skada's 1 all rows get the same label.
        return skada.JCPOTLabelPropAdapter(reg=0.1)


class SkadaDensityReweight(SkadaAdapter):
    """Source rows weighed by the ratio of two kernel densities."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.DensityReweightAdapter()


class SkadaDiscriminatorReweight(SkadaAdapter):
    """Source rows weighed by a classifier that tells the domains apart."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.DiscriminatorReweightAdapter()


class SkadaNeighbourReweight(SkadaAdapter):
    """Source rows weighed by how many target rows have them as nearest neighbour."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.NearestNeighborReweightAdapter()


class SkadaKLIEP(SkadaAdapter):
    """Source rows weighed by the ratio of densities that KLIEP finds."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.KLIEPReweightAdapter(gamma=1.0, random_state=0)


class SkadaKMM(SkadaAdapter):
    """Source rows weighed so that their kernel mean is the target's."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.KMMReweightAdapter()


class SkadaMMDTarS(SkadaAdapter):
    """Source rows weighed by the class shares that explain the target best."""

    def _make_adapter(self, skada: Any) -> Any:
        return skada.MMDTarSReweightAdapter(gamma=1.0)


class SkadaJDOT(SkadaClassifier):
    """A classifier and a plan of transport of rows with their labels, in turn."""

    def _make_model(self, skada: Any) -> Any:
        return skada.make_da_pipeline(skada.JDOTClassifier(self._logistic()))


class SkadaGradual(SkadaClassifier):
    """GOAT: a classifier taught by itself on steps of the way from source to target."""

    def _make_model(self, skada: Any) -> Any:
        from skada._gradual_da import GradualEstimator

        return skada.make_da_pipeline(GradualEstimator(base_estimator=self._logistic()))


class SkadaDASVM(SkadaClassifier):
    """A support vector machine that trades rows of the source for rows of the target."""

    _two_classes_only: ClassVar[bool] = True

    def _make_model(self, skada: Any) -> Any:
        from sklearn.svm import SVC

        return skada.make_da_pipeline(skada.DASVMClassifier(SVC(C=self.C, kernel="linear")))
