"""Small files of documents."""

from __future__ import annotations

import csv
from pathlib import Path


def write_columns(path: Path, header: list[str], *columns: list[str]) -> None:
    """A CSV file by columns."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(zip(*columns, strict=True))


def read_rows(path: str = "predictions.csv") -> list[dict[str, str]]:
    """The rows of a CSV file, by column name."""
    with Path(path).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
