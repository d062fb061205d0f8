"""The benchmark: suites in TOML, resumable runs, and a report in Markdown and HTML.

Only ``speed.gpu`` can be imported without the extra ``bench``.
"""
