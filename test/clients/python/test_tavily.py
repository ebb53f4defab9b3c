"""tavily-python with only its base address changed."""

import json
import os
import unittest
from importlib.util import find_spec

from tavily import AsyncTavilyClient, TavilyClient
from tavily.errors import BadRequestError, ForbiddenError, InvalidAPIKeyError

from served import BUY_LINK, GONE, KEY, PAGE, POOR_KEY, PRIVATE, QUERY, SECOND_SHAPE, SITE, UNKNOWN_KEY, credits_left

# Contexts are cut by tokens; litellm brings the vocabulary that the client would download.
(LITELLM,) = find_spec("litellm").submodule_search_locations
os.environ["TIKTOKEN_CACHE_DIR"] = f"{LITELLM}/litellm_core_utils/tokenizers"


class Sync(unittest.TestCase):
    def client(self, key=KEY):
        return TavilyClient(key, api_base_url=SECOND_SHAPE)

    def test_search_with_everything(self):
        before = credits_left()
        found = self.client().search(
            QUERY,
            search_depth="advanced",
            topic="general",
            time_range="year",
            max_results=2,
            chunks_per_source=2,
            include_answer=True,
            include_raw_content="markdown",
            include_images=True,
            include_favicon=True,
            include_usage=True,
            include_domains=[SITE.split("/")[2].split(":")[0]],
            country="norway",
        )
        self.assertEqual(found["query"], QUERY)
        self.assertTrue(0 < len(found["results"]) <= 2)
        for result in found["results"]:
            self.assertRegex(result["content"], "wading bird")
            self.assertIsInstance(result["raw_content"], str)
        self.assertEqual(before - credits_left(), 1)

    def test_context_and_answer(self):
        context = self.client().get_search_context(QUERY, max_results=2)
        self.assertIn(SITE.split("/")[2], json.dumps(context))
        self.assertIsInstance(self.client().qna_search("What does the sanderling pick out of the wet sand?"), str)

    def test_extract_names_the_page_that_failed(self):
        extracted = self.client().extract([PAGE, GONE], format="markdown", include_favicon=True)
        self.assertEqual([result["url"] for result in extracted["results"]], [PAGE])
        self.assertEqual([result["url"] for result in extracted["failed_results"]], [GONE])

    def test_map_and_crawl(self):
        listed = self.client().map(f"{SITE}/", max_depth=1, limit=5)
        self.assertIn(PAGE, listed["results"])
        crawled = self.client().crawl(f"{SITE}/", limit=2, select_paths=["/docs/.*"])
        self.assertTrue(crawled["results"])

    def test_without_a_key(self):
        client = TavilyClient(api_base_url=SECOND_SHAPE)
        self.assertTrue(client.search(QUERY)["results"])
        self.assertTrue(client.extract([PAGE])["results"])

    def test_errors(self):
        with self.assertRaisesRegex(InvalidAPIKeyError, "invalid_api_key"):
            self.client(UNKNOWN_KEY).search(QUERY)
        with self.assertRaisesRegex(ForbiddenError, f"insufficient_credits.*{BUY_LINK}"):
            self.client(POOR_KEY).search(QUERY)
        with self.assertRaisesRegex(ForbiddenError, BUY_LINK):
            self.client(POOR_KEY).extract([PAGE])
        with self.assertRaises(BadRequestError):
            self.client().extract([PRIVATE])
        with self.assertRaisesRegex(Exception, "422"):
            self.client().search("q" * 2_001)


class Async(unittest.IsolatedAsyncioTestCase):
    def client(self, key=KEY):
        return AsyncTavilyClient(key, api_base_url=SECOND_SHAPE)

    async def test_search_extract_map_and_crawl(self):
        client = self.client()
        self.assertTrue((await client.search(QUERY, include_raw_content=True))["results"])
        self.assertTrue((await client.extract(PAGE))["results"])
        self.assertTrue((await client.map(f"{SITE}/"))["results"])
        self.assertTrue((await client.crawl(f"{SITE}/", limit=1))["results"])
        self.assertIsInstance(await client.get_search_context(QUERY), str)

    async def test_errors(self):
        with self.assertRaisesRegex(InvalidAPIKeyError, "invalid_api_key"):
            await self.client(UNKNOWN_KEY).search(QUERY)
        with self.assertRaisesRegex(ForbiddenError, BUY_LINK):
            await self.client(POOR_KEY).search(QUERY)
        with self.assertRaises(BadRequestError):
            await self.client().extract([PRIVATE])
