"""langchain-exa with only its base address changed."""

import unittest

from langchain_exa import ExaFindSimilarResults, ExaSearchResults, ExaSearchRetriever

from served import BUY_LINK, KEY, OTHER, PAGE, POOR_KEY, QUERY, UNKNOWN_KEY, URL


def settings(key=KEY):
    return {"exa_api_key": key, "exa_base_url": URL}


class Tools(unittest.IsolatedAsyncioTestCase):
    async def test_the_retriever_gives_documents(self):
        retriever = ExaSearchRetriever(k=3, highlights=True, **settings())
        for documents in (retriever.invoke(QUERY), await retriever.ainvoke(QUERY)):
            self.assertTrue(0 < len(documents) <= 3)
            self.assertRegex(documents[0].page_content, "wading bird")
            self.assertTrue(documents[0].metadata["highlights"])

    async def test_the_tools_give_results(self):
        found = ExaSearchResults(**settings()).invoke({"query": QUERY, "num_results": 2})
        self.assertTrue(0 < len(found.results) <= 2)
        similar = ExaFindSimilarResults(**settings()).invoke({"url": PAGE, "num_results": 2})
        self.assertTrue(similar.results[0].url.startswith(OTHER))

    async def test_failures_reach_the_model_as_text(self):
        asked = {"query": QUERY, "num_results": 2}
        self.assertRegex(str(ExaSearchResults(**settings(UNKNOWN_KEY)).invoke(asked)), "401.*invalid_api_key")
        self.assertRegex(str(ExaSearchResults(**settings(POOR_KEY)).invoke(asked)), f"402.*{BUY_LINK}")
