"""Prints the tables that pdfplumber finds in PDFs, one JSON line per file, as a baseline for eval/pdf-tables.ts."""

import json
import sys

import pdfplumber

for path in sys.argv[1:]:
    with pdfplumber.open(path) as document:
        tables = [table for page in document.pages for table in page.extract_tables()]
    print(json.dumps([[[cell or "" for cell in row] for row in table] for table in tables]))
