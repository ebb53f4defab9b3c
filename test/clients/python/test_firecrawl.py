"""firecrawl-py with only its base address changed."""

import time
import unittest

from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v2.utils.error_handler import FirecrawlError, PaymentRequiredError, UnauthorizedError

from served import BUY_LINK, GONE, KEY, PAGE, POOR_KEY, PRIVATE, QUERY, SITE, UNKNOWN_KEY, URL, credits_left

BATCH = [PAGE, f"{SITE}/dunlin"]
# Seconds between two questions, and until a client gives up.
POLL = 1
WAIT = 60


class Sync(unittest.TestCase):
    def client(self, key=KEY):
        return Firecrawl(api_key=key, api_url=URL)

    def test_scrape(self):
        before = credits_left()
        page = self.client().scrape(PAGE, formats=["markdown", "html", "rawHtml", "links"], only_main_content=True)
        self.assertRegex(page.markdown, "^# Sanderling")
        self.assertRegex(page.html, "<h1>")
        self.assertRegex(page.raw_html, "(?i)<!doctype html>")
        self.assertEqual(page.metadata.source_url, PAGE)
        self.assertEqual(page.metadata.status_code, 200)
        self.assertEqual(before - credits_left(), 1)

    def test_search(self):
        found = self.client().search(QUERY, limit=2)
        self.assertTrue(0 < len(found.web) <= 2)
        self.assertTrue(found.web[0].url.startswith("http"))
        read = self.client().search(QUERY, limit=1, scrape_options={"formats": ["markdown"]})
        self.assertRegex(read.web[0].markdown, "wading bird")

    def test_map(self):
        listed = self.client().map(f"{SITE}/", limit=10)
        self.assertIn(PAGE, [link.url for link in listed.links])

    def test_crawl_to_its_end(self):
        before = credits_left()
        job = self.client().crawl(f"{SITE}/", limit=3, poll_interval=POLL, timeout=WAIT)
        self.assertEqual(job.status, "completed")
        self.assertEqual(len(job.data), 3)
        self.assertTrue(all(page.markdown for page in job.data))
        self.assertEqual(before - credits_left(), 3)

    def test_crawl_started_looked_at_and_cancelled(self):
        client = self.client()
        started = client.start_crawl(f"{SITE}/", limit=5, delay=5)
        self.assertIn(client.get_crawl_status(started.id).status, ("scraping", "completed"))
        self.assertIn(started.id, [crawl.id for crawl in client.get_active_crawls().crawls])
        self.assertTrue(client.cancel_crawl(started.id))
        self.assertEqual(client.get_crawl_status(started.id).status, "cancelled")
        self.assertEqual(client.get_crawl_errors(started.id).errors, [])

    def test_batch_to_its_end(self):
        job = self.client().batch_scrape(BATCH, formats=["markdown"], poll_interval=POLL, wait_timeout=WAIT)
        self.assertEqual(job.status, "completed")
        self.assertEqual(sorted(page.metadata.source_url for page in job.data), sorted(BATCH))

    def test_batch_with_a_page_that_failed(self):
        client = self.client()
        started = client.start_batch_scrape([PAGE, GONE], formats=["markdown"])
        until = time.monotonic() + WAIT
        while (job := client.get_batch_scrape_status(started.id)).status == "scraping":
            self.assertLess(time.monotonic(), until)
            time.sleep(POLL)
        self.assertEqual([page.metadata.source_url for page in job.data], [PAGE])
        self.assertEqual([error.url for error in client.get_batch_scrape_errors(started.id).errors], [GONE])

    def test_team(self):
        self.assertEqual(self.client().get_credit_usage().remaining_credits, credits_left())
        self.assertEqual(self.client().get_concurrency().concurrency, 0)

    def test_errors(self):
        with self.assertRaises(UnauthorizedError):
            self.client(UNKNOWN_KEY).scrape(PAGE)
        with self.assertRaisesRegex(PaymentRequiredError, BUY_LINK):
            self.client(POOR_KEY).scrape(PAGE)
        with self.assertRaisesRegex(PaymentRequiredError, BUY_LINK):
            self.client(POOR_KEY).start_crawl(f"{SITE}/")
        with self.assertRaisesRegex(FirecrawlError, "not allowed"):
            self.client().scrape(PRIVATE)
        with self.assertRaises(FirecrawlError):
            self.client().scrape(GONE)
        with self.assertRaises(FirecrawlError):
            self.client().get_crawl_status("00000000-0000-4000-8000-000000000000")


class Async(unittest.IsolatedAsyncioTestCase):
    def client(self, key=KEY):
        return AsyncFirecrawl(api_key=key, api_url=URL)

    async def test_scrape_search_and_map(self):
        client = self.client()
        self.assertRegex((await client.scrape(PAGE, formats=["markdown"])).markdown, "^# Sanderling")
        self.assertTrue((await client.search(QUERY, limit=2)).web)
        self.assertTrue((await client.map(f"{SITE}/")).links)

    async def test_crawl_and_batch_to_their_ends(self):
        client = self.client()
        crawl = await client.crawl(url=f"{SITE}/", limit=2, poll_interval=POLL, timeout=WAIT)
        self.assertEqual((crawl.status, len(crawl.data)), ("completed", 2))
        batch = await client.batch_scrape(BATCH, formats=["markdown"], poll_interval=POLL, wait_timeout=WAIT)
        self.assertEqual((batch.status, len(batch.data)), ("completed", 2))

    async def test_errors(self):
        with self.assertRaises(UnauthorizedError):
            await self.client(UNKNOWN_KEY).scrape(PAGE)
        with self.assertRaisesRegex(PaymentRequiredError, BUY_LINK):
            await self.client(POOR_KEY).scrape(PAGE)
