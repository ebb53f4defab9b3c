import type { Answer, Call } from './call.ts';

/** What stands at the root: the name of the service and where its doors are. */
export async function landing({ requestId }: Call): Promise<Answer> {
  return {
    body: {
      name: 'Sanderling',
      what: 'Web retrieval and search for programs and agents.',
      routes: {
        'POST /v1/search': '{"query": "..."}: pages for a query; "contents" adds their text',
        'POST /v1/contents': '{"urls": ["https://..."]}: pages as Markdown',
        'GET /r/{url}': 'a page as Markdown; ?q= keeps what bears on a question',
        'GET /healthz': 'the process lives',
        'GET /readyz': 'the service takes requests',
      },
      requestId,
    },
  };
}
