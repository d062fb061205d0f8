"""Print the lowest declared version of every dependency as a constraint for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lowest_versions() -> list[str]:
    """Constraints like ``numpy==1.26``, one a runtime dependency and one a package of an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    optional = [r for name, listed in extras.items() if name != "dev" for r in listed]
    pins = []
    for requirement in [*project["dependencies"], *optional]:
        found = re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement)
        if found is None:
            raise SystemExit(f"{requirement!r} in pyproject.toml has no plain lower bound.")
        pins.append(f"{found[1]}=={found[2]}")
    return pins


if __name__ == "__main__":
    print("\n".join(lowest_versions()))
