import type { Answer, Call } from '../calls/call.ts';

/** What stands at the root: the name of the service and where its doors are. */
export async function landing({ requestId }: Call): Promise<Answer> {
  return {
    body: {
      name: 'Sanderling',
      what: 'Web retrieval and search for programs and agents.',
      routes: {
        'POST /v1/search': '{"query": "..."}: pages for a query; "contents" adds their text',
        'POST /v1/contents': '{"urls": ["https://..."]}: pages as Markdown',
        'POST /v1/findSimilar': '{"url": "https://..."}: pages on the same subject elsewhere',
        'POST /v1/research': '{"question": "..."}: an evidence pack of quotations from many pages',
        'GET /r/{url}': 'a page as Markdown; ?q= keeps what bears on a question',
        'POST /v1/verify':
          '{"url": "https://...", "quote": "..."}: whether a quotation stands on a page; free',
        'POST /shapeB/search': 'a search in the second shape; its clients use {base address}/shapeB',
        'POST /shapeB/extract': '{"urls": ["https://..."]}: pages in the second shape',
        'POST /v1/keys/free': 'a free key with 2,500 credits, one for each network',
        'GET /v1/balance': 'the credits of a key, sent in a header',
        'GET /healthz': 'the process lives',
        'GET /readyz': 'the service takes requests',
      },
      requestId,
    },
  };
}
