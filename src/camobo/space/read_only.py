"""A dict that cannot be changed."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ReadOnly(dict[K, V]):
    """A dict that refuses changes, and can be copied and pickled, which a `MappingProxyType` cannot.

    >>> ReadOnly(nickel=3.5), dict(ReadOnly(nickel=3.5), soak=4)
    ({'nickel': 3.5}, {'nickel': 3.5, 'soak': 4})
    """

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping is read-only. Change a copy of it: dict(…).")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuilds it from a dict: item by item, as dicts are, would be refused."""
        return ReadOnly, (dict(self),)
