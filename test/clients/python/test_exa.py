"""exa-py with only its base address changed."""

import unittest
from importlib.metadata import version

from exa_py import AsyncExa, Exa

from served import BUY_LINK, GONE, KEY, OTHER, PAGE, POOR_KEY, PRIVATE, QUERY, SITE, UNKNOWN_KEY, URL, credits_left

TOO_LONG = "q" * 2_001


def setUpModule():
    assert int(version("exa-py").split(".")[0]) >= 2


class Sync(unittest.TestCase):
    def client(self, key=KEY):
        return Exa(key, base_url=URL)

    def test_search_has_text_and_costs_one_credit(self):
        before = credits_left()
        found = self.client().search(QUERY, num_results=3)
        self.assertTrue(0 < len(found.results) <= 3)
        self.assertRegex(found.results[0].text, "wading bird")
        self.assertEqual(found.results[0].id, found.results[0].url)
        self.assertEqual(found.cost_dollars.total, 0.001)
        self.assertEqual(before - credits_left(), 1)

    def test_search_with_every_part_and_filter(self):
        found = self.client().search(
            QUERY,
            type="fast",
            include_domains=[SITE.split("/")[2].split(":")[0]],
            start_published_date="2026-01-01",
            end_published_date="2027-01-01",
            contents={
                "text": {"max_characters": 500},
                "highlights": {"query": "sand", "highlights_per_url": 2},
            },
        )
        self.assertTrue(found.results)
        for result in found.results:
            self.assertTrue(result.url.startswith(SITE))
            self.assertLessEqual(len(result.text), 500)
            self.assertTrue(0 < len(result.highlights) <= 2)

    def test_search_without_contents(self):
        for result in self.client().search(QUERY, contents=False).results:
            self.assertIsNone(result.text)

    def test_contents_names_the_page_that_failed(self):
        before = credits_left()
        contents = self.client().get_contents([PAGE, GONE], text=True, highlights=True)
        self.assertEqual([result.url for result in contents.results], [PAGE])
        self.assertRegex(contents.results[0].text, "^# Sanderling")
        self.assertEqual([status.status for status in contents.statuses], ["success", "error"])
        self.assertEqual(contents.statuses[1].error.tag, "CRAWL_NOT_FOUND")
        self.assertEqual(before - credits_left(), 1)

    def test_similar_pages_lie_elsewhere(self):
        similar = self.client().find_similar(PAGE, num_results=5)
        self.assertTrue(similar.results)
        for result in similar.results:
            self.assertTrue(result.url.startswith(OTHER))

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "status code 401.*invalid_api_key"):
            self.client(UNKNOWN_KEY).search(QUERY)
        with self.assertRaisesRegex(ValueError, f"status code 402.*insufficient_credits.*{BUY_LINK}"):
            self.client(POOR_KEY).search(QUERY)
        with self.assertRaisesRegex(ValueError, "status code 400.*url_not_allowed"):
            self.client().get_contents([PRIVATE])
        with self.assertRaisesRegex(ValueError, "status code 422.*query"):
            self.client().search(TOO_LONG)
        with self.assertRaisesRegex(ValueError, "status code 502.*fetch_failed"):
            self.client().find_similar(GONE)


class Async(unittest.IsolatedAsyncioTestCase):
    def client(self, key=KEY):
        return AsyncExa(key, api_base=URL)

    async def test_search_contents_and_similar(self):
        exa = self.client()
        found = await exa.search(QUERY, contents={"highlights": True})
        self.assertTrue(found.results[0].highlights)
        contents = await exa.get_contents([PAGE])
        self.assertRegex(contents.results[0].text, "wading bird")
        similar = await exa.find_similar(PAGE)
        self.assertTrue(similar.results)

    async def test_errors(self):
        with self.assertRaisesRegex(ValueError, "status code 401.*invalid_api_key"):
            await self.client(UNKNOWN_KEY).search(QUERY)
        with self.assertRaisesRegex(ValueError, f"status code 402.*{BUY_LINK}"):
            await self.client(POOR_KEY).search(QUERY)
        with self.assertRaisesRegex(ValueError, "status code 422.*query"):
            await self.client().search(TOO_LONG)
