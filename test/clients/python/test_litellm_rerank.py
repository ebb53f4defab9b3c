"""The rerankers of litellm that take an address: Jina's, Cohere's and vLLM's shape of the same call."""

import unittest

import litellm

from served import BUY_LINK, KEY, POOR_KEY, UNKNOWN_KEY, URL, credits_left

QUERY = "where do sanderlings breed"
DOCUMENTS = [
    "Sanderlings winter on sandy beaches.",
    "Sanderlings breed in the high Arctic.",
    "The harbour was rebuilt after the war.",
]
MODELS = ["jina_ai/jina-reranker-v3", "cohere/rerank-v3.5", "hosted_vllm/reranker"]


def asked(model, key=KEY):
    return {"model": model, "query": QUERY, "documents": DOCUMENTS, "api_key": key, "api_base": URL}


class Rerank(unittest.IsolatedAsyncioTestCase):
    def accept(self, answer):
        self.assertEqual([result["index"] for result in answer.results], [1, 0])
        self.assertEqual(answer.results[0]["document"]["text"], DOCUMENTS[1])
        self.assertGreater(answer.results[0]["relevance_score"], 0.9)

    async def test_every_shape(self):
        for model in MODELS:
            with self.subTest(model):
                before = credits_left()
                self.accept(litellm.rerank(top_n=2, return_documents=True, **asked(model)))
                self.accept(await litellm.arerank(top_n=2, return_documents=True, **asked(model)))
                self.assertEqual(before - credits_left(), 2)

    async def test_errors(self):
        for model in MODELS:
            with self.subTest(model):
                with self.assertRaisesRegex(Exception, "(?i)invalid_api_key|unknown"):
                    litellm.rerank(**asked(model, UNKNOWN_KEY))
                with self.assertRaisesRegex(Exception, BUY_LINK):
                    litellm.rerank(**asked(model, POOR_KEY))
