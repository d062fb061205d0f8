"""The benchmark: suites in TOML, resumable runs, and a report in Markdown and HTML."""

from importlib.util import find_spec

if find_spec("pydantic") is None:
    raise ImportError("The benchmark needs the extra 'bench': pip install 'isthmus[bench]'.")
