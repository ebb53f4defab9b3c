"""Prints the day of publication that htmldate finds for each {"html", "url"}, or null."""

import json
import logging
import sys

from htmldate import find_date

logging.disable(logging.CRITICAL)
for line in sys.stdin:
    page = json.loads(line)
    try:
        day = find_date(page["html"], url=page["url"], original_date=True, extensive_search=True)
    except ValueError:
        day = None
    print(json.dumps(day))
