"""Results as a report: tables, ranks and charts, in Markdown and as a web page."""
