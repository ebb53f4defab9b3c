"""The reference client of MCP, over HTTP and over standard input and output."""

import os
import unittest
from contextlib import asynccontextmanager
from urllib.parse import quote

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from served import BUY_LINK, GONE, KEY, PAGE, POOR_KEY, QUERY, SITE, UNKNOWN_KEY, URL, credits_left

NAMES = [
    "service_search",
    "service_read",
    "service_contents",
    "service_search_docs",
    "service_find_library",
    "service_find_similar",
    "service_deep_research",
    "service_map",
    "service_crawl",
    "service_balance",
    "service_auto_reload",
]


@asynccontextmanager
async def connected(key=KEY):
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http:
        async with Client(streamable_http_client(f"{URL}/mcp", http_client=http)) as client:
            yield client


def text_of(result) -> str:
    return result.content[0].text


class OverHttp(unittest.IsolatedAsyncioTestCase):
    async def test_says_who_it_is_and_what_it_offers(self):
        async with connected() as client:
            self.assertEqual(client.server_info.name, "service")
            self.assertRegex(client.instructions, "Search first")
            tools = (await client.list_tools()).tools
            self.assertEqual([tool.name for tool in tools], NAMES)
            self.assertTrue(all(tool.title for tool in tools))
            self.assertTrue(all(tool.annotations.read_only_hint for tool in tools[:-1]))

    async def test_calls_are_charged_like_their_routes(self):
        before = credits_left()
        async with connected() as client:
            found = await client.call_tool("service_search", {"query": QUERY})
            self.assertRegex(text_of(found), r"(?s)^1\. .*wading bird.*\n\[1\] #:~:text=")
            page = await client.call_tool("service_read", {"url": PAGE, "question": "What does it eat?"})
            self.assertRegex(text_of(page), "sandhoppers")
            listed = await client.call_tool("service_map", {"url": f"{SITE}/"})
            self.assertIn(PAGE, text_of(listed))
            balance = await client.call_tool("service_balance", {})
            self.assertEqual(balance.structured_content["credits"], before - 3)

    async def test_a_page_is_a_resource(self):
        async with connected() as client:
            templates = (await client.list_resource_templates()).resource_templates
            (template,) = [one for one in templates if "/r/" in one.uri_template]
            uri = template.uri_template.replace("{url}", quote(PAGE, safe=""))
            (content,) = (await client.read_resource(uri)).contents
            self.assertRegex(content.text, "^# Sanderling")
            with self.assertRaisesRegex(MCPError, "fetch_failed: .*; try another address"):
                await client.read_resource(template.uri_template.replace("{url}", quote(GONE, safe="")))

    async def test_errors(self):
        for key, message in ((UNKNOWN_KEY, "^invalid_api_key"), (POOR_KEY, f"^payment_required .*{BUY_LINK}")):
            async with connected(key) as client:
                refused = await client.call_tool("service_search", {"query": QUERY})
                self.assertTrue(refused.is_error)
                self.assertRegex(text_of(refused), message)
        async with connected() as client:
            refused = await client.call_tool("service_search", {})
            self.assertRegex(text_of(refused), "^validation_error: query is required")
            with self.assertRaisesRegex(MCPError, "There is no tool"):
                await client.call_tool("service_nothing", {})


class OverStandardStreams(unittest.IsolatedAsyncioTestCase):
    async def test_the_command_forwards_to_the_server(self):
        command = StdioServerParameters(
            command=os.environ["SANDERLING_NODE"],
            args=[os.environ["SANDERLING_PROGRAM"], "mcp", "--url", URL],
            env={"SANDERLING_API_KEY": KEY, "PATH": os.environ["PATH"]},
            cwd=os.environ["SANDERLING_FOLDER"],
        )
        before = credits_left()
        async with Client(command) as client:
            found = await client.call_tool("service_search", {"query": QUERY})
            self.assertRegex(text_of(found), r"^1\. ")
        self.assertEqual(before - credits_left(), 1)
