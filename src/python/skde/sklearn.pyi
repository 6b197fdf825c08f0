"""Types of skde.sklearn."""

from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import KernelDensity as _KernelDensity  # type: ignore
from typing_extensions import Self

__all__: list[str]

class KernelDensity(_KernelDensity):  # type: ignore
    bandwidth_: float
    tree_: Any
    def fit(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self: ...
    def score_samples(self, X: ArrayLike) -> NDArray[Any]: ...
    def score(self, X: ArrayLike, y: Any = None) -> float: ...
    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[Any]: ...
