"""The service under test, as the environment describes it: an address, two sites that it has read, and two keys."""

import json
import os
import urllib.request

URL = os.environ["SANDERLING_URL"]
SECOND_SHAPE = f"{URL}/shapeB"
SITE = os.environ["SANDERLING_SITE"]
OTHER = os.environ["SANDERLING_OTHER"]
KEY = os.environ["SANDERLING_KEY"]
# Has no credits.
POOR_KEY = os.environ["SANDERLING_POOR_KEY"]
UNKNOWN_KEY = "nobody"

PAGE = f"{SITE}/sanderling"
GONE = f"{SITE}/gone"
PRIVATE = "http://127.0.0.1:1/"
QUERY = "wading birds of sandy beaches"
BUY_LINK = r"/buy/instant\?k="


def credits_left() -> int:
    request = urllib.request.Request(f"{URL}/v1/balance", headers={"x-api-key": KEY})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)["credits"]
