"""Prints the Markdown that trafilatura extracts from each page of HTML."""

import json
import sys

import trafilatura

for line in sys.stdin:
    text = trafilatura.extract(json.loads(line), output_format="markdown", include_tables=True)
    print(json.dumps(text or ""))
