"""The commands of docs/guides/trust.md run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "trust.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_run(call: Any) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
    for line in block.splitlines():
        result = call(*shlex.split(line, comments=True)[1:])
        assert result.exit_code == 0, f"{line}: {result.output}"
    assert "Coverage" in result.output
