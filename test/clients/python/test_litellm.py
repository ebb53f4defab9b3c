"""The search providers of litellm, by their base addresses."""

import unittest

import litellm

from served import BUY_LINK, KEY, POOR_KEY, QUERY, SECOND_SHAPE, SITE, UNKNOWN_KEY, URL, credits_left

# Name of the provider -> base address.
PROVIDERS = {
    "exa_ai": URL,
    "tavily": SECOND_SHAPE,
    "perplexity": f"{URL}/pplx",
    "linkup": f"{URL}/linkup/v1",
    "brave": f"{URL}/res/v1/web/search",
    "searxng": f"{URL}/searxng",
}
# Asks for no number of results and for no domain.
WITHOUT_OPTIONS = {"searxng"}


def asked(provider, key=KEY):
    return {"query": QUERY, "search_provider": provider, "api_key": key, "api_base": PROVIDERS[provider]}


class Search(unittest.IsolatedAsyncioTestCase):
    def accept(self, found, provider):
        self.assertTrue(0 < len(found.results) <= (10 if provider in WITHOUT_OPTIONS else 2))
        self.assertRegex(found.results[0].snippet, "(?i)wading bird")
        self.assertTrue(found.results[0].url.startswith("http"))
        self.assertTrue(found.results[0].title)

    async def test_every_provider(self):
        for provider in PROVIDERS:
            with self.subTest(provider):
                before = credits_left()
                self.accept(litellm.search(max_results=2, **asked(provider)), provider)
                self.accept(await litellm.asearch(max_results=2, **asked(provider)), provider)
                self.assertEqual(before - credits_left(), 2)

    async def test_domain_filter(self):
        domain = SITE.split("/")[2].split(":")[0]
        for provider in PROVIDERS.keys() - WITHOUT_OPTIONS:
            with self.subTest(provider):
                found = litellm.search(search_domain_filter=[domain], **asked(provider))
                self.assertTrue(found.results)
                for result in found.results:
                    self.assertIn(domain, result.url)

    async def test_firecrawl(self):
        # Its clients are given the address of the version, the bare one, or the one below which ours stands.
        for base in (f"{URL}/v2", URL, f"{URL}/firecrawl"):
            with self.subTest(base):
                before = credits_left()
                options = {"query": QUERY, "search_provider": "firecrawl", "api_key": KEY, "api_base": base}
                found = litellm.search(max_results=2, **options)
                self.accept(found, "firecrawl")
                # The search, and each page that it reads.
                self.assertEqual(before - credits_left(), 1 + len(found.results))

    async def test_errors(self):
        for provider in PROVIDERS:
            with self.subTest(provider):
                with self.assertRaisesRegex(Exception, "(?i)invalid_api_key"):
                    litellm.search(**asked(provider, UNKNOWN_KEY))
                with self.assertRaisesRegex(Exception, BUY_LINK):
                    await litellm.asearch(**asked(provider, POOR_KEY))
