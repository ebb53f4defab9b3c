import { EITHER_MODEL, type OtherService, PAGE, WITH_BROWSER } from './other-service.ts';

/** What moves over from Jina. */
export const JINA: OtherService = {
  name: 'Jina',
  address: '{base_url}/r, {base_url}/s, {base_url}/v1/rerank',
  differs: [
    'Put `{base_url}/r/` where `https://r.jina.ai/` stood, `{base_url}/s/` for `https://s.jina.ai/`, and `{base_url}/v1/rerank` for the reranker.',
    'A call of the reader or of search costs one credit, not tokens; the reranker one for each 100 documents begun. <!-- metered -->',
    'The answer is the main content as Markdown; `?q=` reduces it to a question. JSON comes with `Accept: application/json`.',
    'A page that shows nothing until its scripts run is read with a browser where the operator runs one, and is an error otherwise.',
  ],
  calls: [
    {
      method: 'GET',
      path: `/r/${PAGE}`,
      base: {},
      inHeaders: true,
      fields: [
        ['X-Return-Format', 'html', `markdown, html or text; screenshot and pageshot ${WITH_BROWSER}`],
        ['X-Target-Selector', 'main'],
        ['X-Remove-Selector', 'nav'],
        ['X-Wait-For-Selector', 'main', WITH_BROWSER],
        ['X-With-Links-Summary', 'true'],
        ['X-With-Images-Summary', 'true'],
        ['X-With-Generated-Alt', 'true', EITHER_MODEL],
        ['X-No-Cache', 'true'],
        ['X-Cache-Tolerance', '60'],
        ['X-Timeout', '10', 'at most 15 seconds'],
        ['X-Token-Budget', '100000'],
        ['X-Locale', 'de-DE'],
        ['X-Engine', 'browser', WITH_BROWSER],
        ['X-Proxy-Url', 'http://example.org/'],
        ['X-Set-Cookie', 'a=b'],
        ['X-Md-Heading-Style', 'setext'],
        ['X-Md-Hr', '***'],
        ['X-Md-Bullet-List-Marker', '*'],
        ['X-Md-Em-Delimiter', '_'],
        ['X-Md-Strong-Delimiter', '__'],
        ['X-Md-Link-Style', 'referenced'],
        ['X-Retain-Links', 'text'],
        ['X-Retain-Images', 'none'],
      ],
    },
    {
      method: 'POST',
      path: '/v1/rerank',
      base: { query: 'q', documents: ['a', 'b'] },
      fields: [
        ['model', 'jina-reranker-v2', 'the built-in scorer, or the model of the operator'],
        ['top_n', 1],
        ['return_documents', false],
        ['truncation', true, 'texts of any length are scored'],
      ],
    },
  ],
  absent: [
    ['Embeddings', 'POST', '/v1/embeddings'],
    ['Classifier', 'POST', '/v1/classify'],
    ['Segmenter', 'POST', '/v1/segment'],
  ],
};
