"""Options of work that is larger than the memory."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

__all__ = ["MemoryOptions"]


@dataclass(frozen=True)
class MemoryOptions:
    """How much memory counts may need, and where larger ones are kept."""

    PANEL: ClassVar[str] = "Memory"

    max_memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory for the counts of words, such as '2 GB'. Larger counts are kept in files "
            "while the command runs. Default: an eighth of the machine's memory.",
        ),
    ] = None
    scratch_folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder for these files, which are removed at the end. Default: the system's "
            "folder for temporary files.",
        ),
    ] = None

    def apply(self) -> AbstractContextManager[None]:
        """Use these settings inside a ``with`` statement."""
        from isthmus.text.parts.memory import use_memory

        return use_memory(self.max_memory, self.scratch_folder)
