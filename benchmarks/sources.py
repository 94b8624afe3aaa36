"""Which code camobo's figures were measured with: a version stays the same while the engine changes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import camobo


def fingerprint() -> str:
    """Twelve hexadecimal digits of the code that decides suggestions: the engine's and the Optuna sampler's."""
    digest = hashlib.sha256()
    folder = Path(camobo.__file__).parent
    for path in sorted([*folder.glob("*.py"), *folder.glob("optuna/*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
