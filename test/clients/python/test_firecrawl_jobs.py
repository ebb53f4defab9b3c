"""Crawls and batches by firecrawl-py, with only its base address changed."""

import asyncio
import unittest

from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v2.types import PaginationConfig, ScrapeOptions, WebhookConfig

from served import BUY_LINK, KEY, POOR_KEY, PRIVATE, SITE, URL

DOCS = sorted(f"{SITE}/docs/{name}" for name in ("count", "ring", "book"))


def urls_of(job):
    return sorted(document.metadata.url for document in job.data)


class Sync(unittest.TestCase):
    def client(self, key=KEY):
        return Firecrawl(api_key=key, api_url=URL)

    def test_crawl(self):
        job = self.client().crawl(
            SITE,
            include_paths=["^/docs/"],
            exclude_paths=["/never"],
            max_discovery_depth=3,
            sitemap="skip",
            limit=10,
            delay=0,
            scrape_options=ScrapeOptions(formats=["markdown", "links"]),
            poll_interval=1,
            timeout=60,
        )
        self.assertEqual(job.status, "completed")
        self.assertEqual(urls_of(job), DOCS)
        self.assertEqual((job.completed, job.total, job.credits_used), (3, 3, 3))
        self.assertIn("wading birds", job.data[0].markdown)
        self.assertIsNotNone(job.expires_at)

    def test_start_list_cancel(self):
        client = self.client()
        started = client.start_crawl(SITE, delay=30, webhook=WebhookConfig(url=f"{SITE}/hook", events=["completed"]))
        self.assertEqual(started.url, f"{URL}/v2/crawl/{started.id}")
        self.assertIn(started.id, [crawl.id for crawl in client.get_active_crawls().crawls])
        self.assertEqual(client.get_crawl_status(started.id).status, "scraping")
        self.assertTrue(client.cancel_crawl(started.id))
        self.assertEqual(client.get_crawl_status(started.id).status, "cancelled")

    def test_an_ended_crawl_is_not_cancelled(self):
        client = self.client()
        job = client.crawl(f"{SITE}/docs/book", limit=1, poll_interval=1, timeout=60)
        self.assertFalse(client.cancel_crawl(job.id))
        errors = client.get_crawl_errors(job.id)
        self.assertEqual((errors.errors, errors.robots_blocked), ([], []))
        page = client.get_crawl_status(job.id, pagination_config=PaginationConfig(auto_paginate=False))
        self.assertEqual(len(page.data), 1)

    def test_batch(self):
        client = self.client()
        job = client.batch_scrape(DOCS, formats=["markdown", "html"], poll_interval=1, wait_timeout=60)
        self.assertEqual((job.status, job.completed, job.credits_used), ("completed", 3, 3))
        self.assertEqual(urls_of(job), DOCS)
        def start():
            return client.start_batch_scrape([*DOCS, PRIVATE], ignore_invalid_urls=True, idempotency_key="py batch")

        started = start()
        self.assertEqual(started.invalid_urls, [PRIVATE])
        self.assertEqual(start().id, started.id)
        with self.assertRaisesRegex(Exception, "was used for another call"):
            client.start_batch_scrape(DOCS, idempotency_key="py batch")
        self.assertEqual(client.get_batch_scrape_errors(started.id).errors, [])

    def test_failures(self):
        with self.assertRaisesRegex(Exception, BUY_LINK):
            self.client(POOR_KEY).start_crawl(SITE)
        with self.assertRaisesRegex(Exception, "no such job"):
            self.client().get_crawl_status("6f1c3c8e-9f1b-4a51-8d3e-2b7f3c0f6a10")
        with self.assertRaises(Exception):
            self.client().start_crawl(PRIVATE)


class Asynchronous(unittest.TestCase):
    def test_crawl_and_batch(self):
        async def both():
            client = AsyncFirecrawl(api_key=KEY, api_url=URL)
            crawl = client.crawl(
                url=SITE, include_paths=["^/docs/"], sitemap="skip", delay=0, poll_interval=1, timeout=60
            )
            batch = client.batch_scrape(DOCS, poll_interval=1, wait_timeout=60)
            return await asyncio.gather(crawl, batch)

        crawl, batch = asyncio.run(both())
        self.assertEqual(urls_of(crawl), DOCS)
        self.assertEqual(urls_of(batch), DOCS)


if __name__ == "__main__":
    unittest.main()
