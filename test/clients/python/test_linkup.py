"""linkup-sdk, with only its base address changed."""

import unittest

import linkup

from served import BUY_LINK, GONE, KEY, PAGE, POOR_KEY, PRIVATE, QUERY, UNKNOWN_KEY, URL, credits_left


def client(key=KEY):
    return linkup.LinkupClient(api_key=key, base_url=f"{URL}/linkup/v1")


class Linkup(unittest.IsolatedAsyncioTestCase):
    def test_search_results(self):
        before = credits_left()
        found = client().search("Sanderling", depth="deep", output_type="searchResults", max_results=5, include_images=True)
        texts = [one for one in found.results if one.type == "text"]
        self.assertTrue(0 < len(texts) <= 5)
        self.assertIn("wading bird", texts[0].content)
        self.assertTrue(texts[0].favicon)
        images = [one.url for one in found.results if one.type == "image"]
        self.assertTrue(any(url.endswith("/flock.jpg") for url in images), images)
        self.assertEqual(before - credits_left(), 1)

    async def test_sourced_answer(self):
        question = "what does the sanderling pick out of the wet sand"
        answered = await client().async_search(question, depth="standard", output_type="sourcedAnswer")
        self.assertIsInstance(answered.answer, str)
        self.assertTrue(all(source.favicon for source in answered.sources))

    def test_fetch(self):
        page = client().fetch(PAGE)
        self.assertIn("small wading bird", page.markdown)
        self.assertTrue(page.favicon)
        whole = client().fetch(PAGE, include_raw_html=True, include_raw_content=True, extract_images=True)
        self.assertIn("<!doctype html>", whole.raw_html)
        self.assertEqual(whole.raw_content, whole.raw_html)
        self.assertEqual([image.alt for image in whole.images], ["A flock"])

    def test_errors(self):
        with self.assertRaises(linkup.LinkupFetchTargetNotFoundError):
            client().fetch(GONE)
        with self.assertRaises(linkup.LinkupInvalidRequestError):
            client().fetch(PRIVATE)
        with self.assertRaisesRegex(linkup.LinkupInvalidRequestError, "structured output needs a model"):
            client().search(QUERY, depth="fast", output_type="structured", structured_output_schema="{}")
        with self.assertRaises(linkup.LinkupAuthenticationError):
            client(UNKNOWN_KEY).search(QUERY, depth="fast", output_type="searchResults")
        with self.assertRaisesRegex(linkup.LinkupPaymentRequiredError, BUY_LINK):
            client(POOR_KEY).search(QUERY, depth="fast", output_type="searchResults")
        with self.assertRaisesRegex(Exception, "is not offered"):
            client().research(QUERY, output_type="sourcedAnswer")
