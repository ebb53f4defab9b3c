"""Prints the Markdown that markitdown makes of each page of HTML."""

import io
import json
import sys

from markitdown import MarkItDown, StreamInfo

converter = MarkItDown()
for line in sys.stdin:
    page = io.BytesIO(json.loads(line).encode())
    result = converter.convert_stream(page, stream_info=StreamInfo(extension=".html", charset="utf-8"))
    print(json.dumps(result.markdown))
