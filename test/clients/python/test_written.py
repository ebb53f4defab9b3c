"""What the clients ask of a model: answers, values by a schema, research, chat. The service has a scripted one, and has read `/light`."""

import asyncio
import json
import unittest

from exa_py import AsyncExa, Exa
from firecrawl import Firecrawl
from linkup import LinkupClient
from openai import OpenAI
from pydantic import BaseModel
from served import KEY, SECOND_SHAPE, SITE, URL, credits_left
from tavily import TavilyClient

LIGHT = f"{SITE}/light"
QUESTION = "who opened the Corvane Light"
WRITTEN = "The Corvane Light was opened by Ada Merrick on May 3, 1871."
VALUE = {"opened": "3 May 1871", "metres": 54}
SCHEMA = {
    "type": "object",
    "properties": {"opened": {"type": "string"}, "metres": {"type": "number"}},
    "required": ["opened", "metres"],
}


class Light(BaseModel):
    opened: str
    metres: float


class ExaAnswers(unittest.TestCase):
    def client(self):
        return Exa(KEY, base_url=URL)

    def test_answer(self):
        before = credits_left()
        got = self.client().answer(QUESTION, text=True)
        self.assertEqual(got.answer, f"{WRITTEN} [1]")
        self.assertEqual(got.citations[0].url, LIGHT)
        self.assertEqual(before - credits_left(), 5)

    def test_answer_by_a_schema(self):
        self.assertEqual(self.client().answer(QUESTION, output_schema=SCHEMA).answer, VALUE)

    def test_streamed_answer(self):
        chunks = list(self.client().stream_answer(QUESTION))
        self.assertEqual("".join(chunk.content or "" for chunk in chunks), f"{WRITTEN} [1]")
        self.assertTrue(any(chunk.citations for chunk in chunks))

    def test_answer_without_waiting(self):
        got = asyncio.run(AsyncExa(KEY, api_base=URL).answer(QUESTION))
        self.assertEqual(got.answer, f"{WRITTEN} [1]")

    def test_summary_by_a_query(self):
        contents = self.client().get_contents([LIGHT], summary={"query": QUESTION})
        self.assertEqual(contents.results[0].summary, WRITTEN)


class FirecrawlExtracts(unittest.TestCase):
    def client(self):
        return Firecrawl(api_key=KEY, api_url=URL)

    def test_json_and_summary(self):
        document = self.client().scrape(LIGHT, formats=[{"type": "json", "schema": SCHEMA}, "summary"])
        self.assertEqual(document.json, VALUE)
        self.assertEqual(document.summary, WRITTEN)

    def test_extract(self):
        before = credits_left()
        got = self.client().extract([LIGHT], schema=SCHEMA, prompt="Read when it was opened.")
        self.assertEqual(got.data, VALUE)
        self.assertEqual(before - credits_left(), 5)


class TavilyWrites(unittest.TestCase):
    def client(self):
        return TavilyClient(KEY, api_base_url=SECOND_SHAPE)

    def test_answer(self):
        self.assertEqual(self.client().search(QUESTION, include_answer="advanced")["answer"], WRITTEN)

    def test_research(self):
        started = self.client().research(QUESTION, model="mini")
        got = self.client().get_research(started["request_id"])
        self.assertEqual(got["status"], "completed")
        self.assertIn("by Ada Merrick on May 3, 1871. [1]", got["content"])
        self.assertEqual(got["sources"][0]["url"], LIGHT)


class Chat(unittest.TestCase):
    def client(self):
        return OpenAI(api_key=KEY, base_url=f"{URL}/pplx", max_retries=0)

    def test_completion(self):
        got = self.client().chat.completions.create(
            model="sonar", messages=[{"role": "user", "content": QUESTION}]
        )
        self.assertEqual(got.choices[0].message.content, f"{WRITTEN} [1]")
        self.assertEqual(got.citations[0], LIGHT)

    def test_completion_by_a_schema(self):
        got = self.client().chat.completions.parse(
            model="sonar", messages=[{"role": "user", "content": QUESTION}], response_format=Light
        )
        self.assertEqual(got.choices[0].message.parsed, Light(**VALUE))

    def test_stream(self):
        stream = self.client().chat.completions.create(
            model="sonar", messages=[{"role": "user", "content": QUESTION}], stream=True
        )
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
        self.assertEqual(text, f"{WRITTEN} [1]")


class LinkupWrites(unittest.TestCase):
    def client(self):
        return LinkupClient(api_key=KEY, base_url=f"{URL}/linkup/v1")

    def test_sourced_answer(self):
        got = self.client().search(QUESTION, depth="standard", output_type="sourcedAnswer")
        self.assertEqual(got.answer, WRITTEN)
        self.assertEqual(got.sources[0].url, LIGHT)

    def test_structured(self):
        got = self.client().search(
            QUESTION, depth="standard", output_type="structured", structured_output_schema=Light
        )
        self.assertEqual(got, VALUE)
        raw = self.client().search(
            QUESTION,
            depth="standard",
            output_type="structured",
            structured_output_schema=json.dumps(SCHEMA),
        )
        self.assertEqual(raw, VALUE)
