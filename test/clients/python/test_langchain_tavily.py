"""langchain-tavily with only its base address changed."""

import unittest

from langchain_tavily import TavilyCrawl, TavilyExtract, TavilyMap, TavilySearch

from served import BUY_LINK, KEY, PAGE, POOR_KEY, QUERY, SECOND_SHAPE, SITE, UNKNOWN_KEY


def settings(key=KEY):
    return {"tavily_api_key": key, "api_base_url": SECOND_SHAPE}


class Tools(unittest.IsolatedAsyncioTestCase):
    async def test_search(self):
        tool = TavilySearch(max_results=2, include_raw_content=True, include_answer=True, **settings())
        for found in (tool.invoke({"query": QUERY}), await tool.ainvoke({"query": QUERY})):
            self.assertTrue(0 < len(found["results"]) <= 2)
            self.assertRegex(found["results"][0]["content"], "wading bird")

    async def test_search_without_results_tells_the_model_what_to_change(self):
        tool = TavilySearch(**settings())
        found = tool.invoke({"query": QUERY, "include_domains": ["nowhere.example.org"]})
        self.assertRegex(str(found), "No search results found")

    async def test_extract(self):
        tool = TavilyExtract(**settings())
        for found in (tool.invoke({"urls": [PAGE]}), await tool.ainvoke({"urls": [PAGE]})):
            self.assertRegex(found["results"][0]["raw_content"], "wading bird")

    async def test_map_and_crawl(self):
        asked = {"url": f"{SITE}/"}
        for found in (TavilyMap(**settings()).invoke(asked), await TavilyMap(**settings()).ainvoke(asked)):
            self.assertIn(PAGE, found["results"])
        crawl = TavilyCrawl(limit=2, **settings())
        for found in (crawl.invoke(asked), await crawl.ainvoke(asked)):
            self.assertEqual(len(found["results"]), 2)

    async def test_failures_reach_the_model_as_text(self):
        for tool, asked in ((TavilySearch, {"query": QUERY}), (TavilyExtract, {"urls": [PAGE]})):
            self.assertRegex(str(tool(**settings(POOR_KEY)).invoke(asked)), f"insufficient_credits.*{BUY_LINK}")
            self.assertRegex(str(tool(**settings(UNKNOWN_KEY)).invoke(asked)), "invalid_api_key")
