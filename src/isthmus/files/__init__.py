"""Read files of documents and write files of results."""

from __future__ import annotations

from isthmus.files.document_blocks import DocumentShard, Row
from isthmus.files.documents import DocumentFile, open_documents
from isthmus.files.errors import DocumentFileError
from isthmus.files.parts import files_of
from isthmus.files.table_writer import TableWriter, check_table_path, open_table_writer
from isthmus.files.text_writers import RowEncoder
from isthmus.files.whole import check_writable, is_existing_file, whole_file

__all__ = [
    "DocumentFile",
    "DocumentFileError",
    "DocumentShard",
    "Row",
    "RowEncoder",
    "TableWriter",
    "check_table_path",
    "check_writable",
    "files_of",
    "is_existing_file",
    "open_documents",
    "open_table_writer",
    "whole_file",
]
