"""Classifiers for scikit-learn: a certified threshold, and probabilities at another prior.

They need scikit-learn: ``pip install ".[sklearn]"`` in a copy of the repository.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _arguments, _columns, _labels, _numbers
from calibrated_metrics._estimators import rows_at, scores_of
from calibrated_metrics._messages import extra, warn_the_caller
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.probabilities import rebase
from calibrated_metrics.thresholds import OperatingPoint, choose_threshold
from calibrated_metrics.uncertainty.estimate import Estimate

with extra("sklearn"):
    from sklearn import get_config
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
    from sklearn.model_selection import StratifiedShuffleSplit, check_cv
    from sklearn.utils import check_random_state, get_tags, indexable
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

__all__ = ["CertifiedThresholdClassifier", "PriorCorrectedClassifier"]

_RESPONSE_METHODS = ("predict_proba", "decision_function")
_OF_CHOOSE_THRESHOLD = (
    *("pi0", "pi0_range", "min_precision", "min_recall", "max_alert_rate"),
    *("min_specificity", "max_fpr", "min_npv"),
    *("beta", "cost_fp", "cost_fn", "confidence_level"),
)
_CLASS_WEIGHTS = ("class_weight", "scale_pos_weight", "is_unbalance", "auto_class_weights")


class _OfBinaryModel(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that trains one model of two classes, `estimator_`."""

    estimator: Any
    estimator_: Any

    @property
    def n_features_in_(self) -> int:
        """Number of features that the model was trained on."""
        check_is_fitted(self)
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the features, if the model was trained on a frame."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        tags, of_model = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.classifier_tags.multi_class = False
        tags.input_tags = of_model.input_tags
        return tags


class CertifiedThresholdClassifier(_OfBinaryModel):
    """A binary classifier with a threshold that meets its constraints with a guarantee.

    `fit` trains the model on one part of the rows and gives the held-out part to
    `choose_threshold`, which certifies the threshold at a reference prior. The model is not trained
    again on all rows, because the guarantee holds for the model that gave the scores.

    Parameters
    ----------
    estimator : classifier
        Model with `predict_proba`, or otherwise `decision_function`, which gives the scores.
    pi0 : None, float in (0, 1) or Estimate, default=None
        Reference prior, the prevalence at deployment. None: the prior of the held-out rows.
    pi0_range : tuple (low, high), default=None
        Instead of `pi0`: the guarantee holds for each prior of the range.
    min_precision, min_recall, max_alert_rate, min_specificity, max_fpr, min_npv : float in (0, 1)
        Optional constraints, as in `choose_threshold`: positive predictive value, sensitivity, the
        share of cases predicted positive, and so on. At least one constraint or objective is
        needed.
    beta, cost_fp, cost_fn : float > 0, optional
        Objective, as in `choose_threshold`.
    confidence_level : float in (0, 1), default=0.95
        Probability of the guarantee.
    cv : float in (0, 1), "prefit", or a splitter or iterable with one split, default=0.5
        Share of the rows that is held out, at random and stratified by class. "prefit": the
        estimator is trained, and all rows of `fit` are held-out rows.
    uncertified : {"raise", "negative"}, default="raise"
        What `fit` does if no threshold can be certified. "raise": a ValueError with the reason.
        "negative": all rows are predicted negative, which violates a minimum recall.
    pos_label : scalar, default=None
        Label of the positive class, required if the labels are text. None: ``classes_[1]``, the
        greater label for most models.
    random_state : None, int or numpy.random.RandomState, default=None
        Random state of the split, and of the halves for an objective without a constraint.

    Attributes
    ----------
    estimator_ : classifier
        The trained model. Use its scores for ranking metrics.
    point_ : OperatingPoint
        The threshold, its guarantee, and its performance on the held-out rows.
    threshold_ : float or None
        A score ``>= threshold_`` is predicted positive. None: all rows are predicted negative.
    classes_ : array of shape (2,)
        The labels.
    pos_label_ : scalar
        The positive label.

    Notes
    -----
    The guarantee needs rows that are independent draws from their class, and held-out rows that did
    not influence the model. A search for parameters, and each step that uses labels or repeats rows
    (selection of features, target encoding, over-sampling), therefore belongs inside, as
    ``CertifiedThresholdClassifier(GridSearchCV(...))``: a search around this classifier would
    choose the parameters on the held-out rows. `fit` takes no weights: train a weighted model first
    and pass it with ``cv="prefit"``.

    There is no `predict_proba`, because the class with the greatest probability is not the
    prediction at a threshold other than 0.5.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from calibrated_metrics.classifiers import CertifiedThresholdClassifier
    >>> X, y = make_classification(8000, weights=[0.9], class_sep=1.5, flip_y=0, random_state=0)
    >>> classifier = CertifiedThresholdClassifier(
    ...     LogisticRegression(), pi0=0.02, min_precision=0.5, random_state=0
    ... ).fit(X, y)
    >>> classifier.point_.certified
    True
    >>> classifier.threshold_
    0.319
    """

    def __init__(
        self,
        estimator: Any,
        *,
        pi0: float | Estimate | None = None,
        pi0_range: tuple[float, float] | None = None,
        min_precision: float | None = None,
        min_recall: float | None = None,
        max_alert_rate: float | None = None,
        min_specificity: float | None = None,
        max_fpr: float | None = None,
        min_npv: float | None = None,
        beta: float | None = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        confidence_level: float = 0.95,
        cv: Any = 0.5,
        uncertified: str = "raise",
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.pi0 = pi0
        self.pi0_range = pi0_range
        self.min_precision = min_precision
        self.min_recall = min_recall
        self.max_alert_rate = max_alert_rate
        self.min_specificity = min_specificity
        self.max_fpr = max_fpr
        self.min_npv = min_npv
        self.beta = beta
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.confidence_level = confidence_level
        self.cv = cv
        self.uncertified = uncertified
        self.pos_label = pos_label
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> CertifiedThresholdClassifier:  # noqa: N803
        """Train the model on one part of the rows and certify the threshold on the other.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            Rows.
        y : array of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        CertifiedThresholdClassifier
            This object.
        """
        _arguments.one_of("uncertified", self.uncertified, ("raise", "negative"))
        _numbers.level("confidence_level", self.confidence_level)
        self.__dict__.pop("point_", None)  # not fitted until the threshold is certified
        labels = _binary_labels(X, y, self.pos_label)
        (X,) = indexable(np.asarray(X) if isinstance(X, list) else X)  # noqa: N806
        state = check_random_state(self.random_state)
        if isinstance(self.cv, str):
            _arguments.one_of("cv", self.cv, ("prefit",))
            check_is_fitted(self.estimator)
            self.estimator_, rows, held_out = self.estimator, X, labels
        else:
            train, test = _only_split(self.cv, state, X, labels)
            self.estimator_ = clone(self.estimator)
            self.estimator_.fit(rows_at(X, train), labels[train])
            rows, held_out = rows_at(X, test), labels[test]
        self.classes_ = _classes_of(self.estimator_, labels)
        self.pos_label_ = _positive_label(self.pos_label, self.classes_)
        if len(np.unique(held_out)) < 2:
            raise ValueError(
                f"cv must hold out rows of both classes {self.classes_.tolist()}, "
                f"got rows of {np.unique(held_out).tolist()} alone"
            )
        self.point_ = self._certified(held_out == self.pos_label_, self._scores(rows), state)
        self.threshold_ = self.point_.threshold
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Predict labels: positive if the score of the model is at least the threshold.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        score = self._scores(X)
        positive = (
            np.zeros(len(score), bool) if self.threshold_ is None else score >= self.threshold_
        )
        at_one = self.pos_label_ == self.classes_[1]
        return np.asarray(self.classes_[(positive == at_one).astype(int)])

    def decision_function(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return how far the score is above the threshold, with the sign of ``classes_[1]``.

        ``classes_[1]`` is predicted where it is positive. The subtraction rounds, so use the scores
        of `estimator_` for ranking metrics. Without a threshold the values are infinite.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        score = self._scores(X)
        limit = np.inf if self.threshold_ is None else self.threshold_
        if self.pos_label_ != self.classes_[1]:
            return limit - score
        # A score that equals the threshold is above it, so take the next lower number.
        return score - (np.nextafter(limit, -np.inf) if np.isfinite(limit) else limit)

    def __sklearn_is_fitted__(self) -> bool:
        return "point_" in vars(self)

    def _certified(
        self, positive: NDArray[np.bool_], score: NDArray[Any], state: Any
    ) -> OperatingPoint:
        asked = {name: getattr(self, name) for name in _OF_CHOOSE_THRESHOLD}
        curve = ConfusionCurve.from_predictions(positive, score)
        point = choose_threshold(curve, **asked, rng=state.randint(2**31 - 1))
        if point.threshold is None and self.uncertified == "raise":
            raise ValueError(
                f"no threshold can be certified for {point.goal} at confidence level "
                f"{self.confidence_level:g} on {len(positive)} held-out rows: {point.reason}; "
                "uncertified='negative' predicts all rows negative instead"
            )
        return point

    def _scores(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Scores of the positive class."""
        of_positive = scores_of(self.estimator_, X, None, self.pos_label_, _RESPONSE_METHODS)
        scores = np.asarray(of_positive, np.float64)
        if not np.isfinite(scores).all():
            raise ValueError(
                f"estimator must give finite scores, got NaN or infinity from {self.estimator_!r}"
            )
        return scores


class PriorCorrectedClassifier(_OfBinaryModel):
    """A binary classifier whose probabilities are converted to another prior.

    A model that was trained on down-sampled negatives, or with class weights, gives probabilities
    at the prior of its training, which are far too high in use. They are converted by
    `probabilities.rebase`: the odds are multiplied by a constant, so the ranking does not change.

    Parameters
    ----------
    estimator : classifier
        Model with `predict_proba`. It is trained on the rows of `fit`.
    pi0 : float in (0, 1), default=None
        Prior at which the probabilities will be used, also called prevalence. None: the share of
        positives in the rows of `fit`.
    prior : float in (0, 1), default=None
        Prior at which the probabilities of the model are calibrated. None: the share of positives
        in the rows of `fit`, weighted by `sample_weight`. If the model changes this share itself,
        give it: 0.5 for ``class_weight="balanced"`` and for a sampler that balances the classes.
    pos_label : scalar, default=None
        Label of the positive class, required if the labels are text. None: ``classes_[1]``.

    Attributes
    ----------
    estimator_ : classifier
        The trained model, with probabilities that are not converted.
    pi0_, prior_ : float
        The two priors.
    classes_ : array of shape (2,)
        The labels.
    pos_label_ : scalar
        The positive label.

    Notes
    -----
    At least one of `pi0` and `prior` is needed. The results are calibrated only if the
    probabilities of the model are, and under label shift, as for negatives that were dropped at
    random. For a trained model, use ``sklearn.frozen.FrozenEstimator(model)`` and give
    `prior`, that of its training rows; otherwise, that of the rows of `fit` is taken.

    Examples
    --------
    Of the negatives, 1 in 10 was kept, so half of the rows are positives instead of 9 %:

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from calibrated_metrics.classifiers import PriorCorrectedClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(20_000) < 1 / 11
    >>> X = rng.normal(2.0 * y)[:, np.newaxis]
    >>> kept = y | (rng.random(20_000) < 1 / 10)
    >>> classifier = PriorCorrectedClassifier(LogisticRegression(), pi0=1 / 11)
    >>> classifier = classifier.fit(X[kept], y[kept])
    >>> for each in (classifier.estimator_, classifier):
    ...     print(f"{each.predict_proba(X)[:, 1].mean():.3f}")
    0.280
    0.090
    """

    def __init__(
        self,
        estimator: Any,
        *,
        pi0: float | None = None,
        prior: float | None = None,
        pos_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.pi0 = pi0
        self.prior = prior
        self.pos_label = pos_label

    def fit(
        self,
        X: Any,  # noqa: N803
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> PriorCorrectedClassifier:
        """Train the model.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            Rows.
        y : array of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which are passed to the model. With metadata routing enabled, the model must
            request them.

        Returns
        -------
        PriorCorrectedClassifier
            This object.
        """
        if self.pi0 is None and self.prior is None:
            raise ValueError("pi0 or prior must be given, got None for both")
        labels = _binary_labels(X, y, self.pos_label)
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(f"estimator must have predict_proba, got {self.estimator!r}")
        weight = np.ones(len(labels))
        if sample_weight is not None:
            _columns.same_index(y=y, sample_weight=sample_weight)
            weight = _numbers.weights("sample_weight", sample_weight)
            check_consistent_length(labels, weight)
        if len(np.unique(labels[weight > 0])) < 2:
            raise ValueError("y must have two classes in rows whose sample_weight is not 0")
        if self.prior is None and _changes_prior(self.estimator):
            warn_the_caller(
                "prior must be given if estimator weights the classes or resamples rows, got None: "
                "0.5 for balanced classes",
                UserWarning,
            )
        given = {} if sample_weight is None else self._routed(sample_weight=weight)
        self.estimator_ = clone(self.estimator).fit(X, labels, **given)
        self.classes_ = _classes_of(self.estimator_, labels)
        self.pos_label_ = _positive_label(self.pos_label, self.classes_)
        share = float(np.average(labels == self.pos_label_, weights=weight))
        priors = {"pi0": self.pi0, "prior": self.prior}
        self.pi0_, self.prior_ = (
            _numbers.open_unit(name, share if each is None else each)
            for name, each in priors.items()
        )
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata, such as weights, reach this object and the model.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def _routed(self, **given: Any) -> dict[str, Any]:
        """Metadata of the model's `fit`."""
        if not get_config()["enable_metadata_routing"]:
            return given
        routed: dict[str, Any] = process_routing(self, "fit", **given).estimator.fit
        if not routed:
            raise ValueError(
                "sample_weight must be None, because the estimator does not request it: "
                "estimator.set_fit_request(sample_weight=True)"
            )
        return routed

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probabilities of the classes at the prior `pi0_`.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of shape (n_samples, 2)
        """
        check_is_fitted(self)
        column = int(self.pos_label_ == self.classes_[1])
        of_model = self.estimator_.predict_proba(X)[:, column]
        positive = rebase(of_model, prior=self.prior_, pi0=self.pi0_)
        columns = (1 - positive, positive) if column else (positive, 1 - positive)
        return np.column_stack(columns)

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Predict the label with the greater probability at the prior `pi0_`.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        likelier = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[likelier])


def _changes_prior(estimator: Any) -> bool:
    """Whether the model, or a model inside of it, has class weights or draws the rows anew."""
    return any(
        hasattr(value, "fit_resample")
        or (name.rpartition("__")[2] in _CLASS_WEIGHTS and value not in (None, False, 1))
        or (isinstance(value, BaseEstimator) and _changes_prior(value))
        for name, value in estimator.get_params().items()
    )


def _positive_label(pos_label: Any, classes: NDArray[Any]) -> Any:
    if pos_label is None:
        return classes[1]
    if pos_label not in classes:
        raise ValueError(
            f"pos_label must be one of the labels {classes.tolist()}, got {pos_label!r}"
        )
    return pos_label


def _binary_labels(X: Any, y: ArrayLike, pos_label: Any) -> NDArray[Any]:  # noqa: N803
    """The labels as a vector of two classes. Text needs a positive label."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    _columns.same_index(X=X, y=y)
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    _labels.none_missing("y", labels)
    check_consistent_length(X, labels)
    check_classification_targets(labels)
    kind = type_of_target(labels, input_name="y")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )
    if len(np.unique(labels)) < 2:
        raise ValueError(f"y must have two classes, got one class in {len(labels)} rows")
    if pos_label is None and labels.dtype.kind in "OSU":
        raise ValueError(f"pos_label must be one of {np.unique(labels).tolist()}, got None")
    return labels


def _only_split(
    cv: Any,
    state: Any,
    X: Any,  # noqa: N803
    labels: NDArray[Any],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Indices of the rows that train the model, and of those that certify the threshold."""
    if isinstance(cv, Real):
        share = _numbers.open_unit("cv", float(cv))
        splitter = StratifiedShuffleSplit(1, test_size=share, random_state=state)
        splits = list(splitter.split(np.zeros(len(labels)), labels))
    else:  # a splitter, or an iterable of splits
        splits = list(check_cv(cv).split(X, labels))
    if len(splits) != 1:
        raise ValueError(
            f"cv must give one split, because the guarantee holds for one model, got {len(splits)}"
        )
    train, test = (np.asarray(each) for each in splits[0])
    if len(np.unique(test)) < len(test) or np.isin(test, train).any():
        raise ValueError("cv must hold out each row once, and no row that trains the model")
    return train, test


def _classes_of(model: Any, labels: NDArray[Any]) -> NDArray[Any]:
    """The two classes of the model, which must hold the labels."""
    classes = np.asarray(getattr(model, "classes_", ()))
    if len(classes) != 2 or not np.isin(labels, classes).all():
        raise ValueError(
            f"y must have the two classes of the model, {classes.tolist()}, "
            f"got {np.unique(labels).tolist()}"
        )
    return classes
