"""Prints the tables that pdfplumber finds in each PDF, given by its path."""

import json
import sys

import pdfplumber

for line in sys.stdin:
    with pdfplumber.open(json.loads(line)) as document:
        tables = [table for page in document.pages for table in page.extract_tables()]
    print(json.dumps([[[cell or "" for cell in row] for row in table] for table in tables]))
