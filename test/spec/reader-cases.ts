import { type Case, each, failing, refused, sending, served } from './spec-case.ts';

const send = sending();
const page = '/r/{site}/birds';
const question = 'How many turnstone were counted?';
const asked = `${page}?q=${encodeURIComponent(question)}`;
const shows = (query: string) => served(1, { text: new RegExp(`Asked: ${query}`) });

/** The address behind /r/, the question and the headers. */
export const READER_CASES: Case[] = [
  send(
    'RD01',
    'the body is the Markdown of the page',
    { path: page },
    served(1, { text: /^# Birds of the shore\n[\s\S]*## The sanderling/ }),
  ),
  send(
    'RD02',
    'Content-Type is text/markdown; charset=utf-8',
    { path: page },
    served(1, { headers: { 'content-type': 'text/markdown; charset=utf-8' } }),
  ),
  send(
    'RD03',
    'X-Token-Savings is a whole percent',
    { path: page },
    served(1, { headers: { 'x-token-savings': /^(?:100|\d{1,2})$/ } }),
  ),
  send(
    'RD04',
    'X-Raw-Tokens is an integer',
    { path: page },
    served(1, { headers: { 'x-raw-tokens': /^\d+$/ } }),
  ),
  send(
    'RD05',
    'X-Output-Tokens is an integer',
    { path: page },
    served(1, { headers: { 'x-output-tokens': /^\d+$/ } }),
  ),
  send(
    'RD06',
    'X-Credits-Remaining counts down',
    { path: page },
    served(1, { headers: { 'x-credits-remaining': '9' } }),
  ),
  send(
    'RD07',
    'a question prunes the page to what is relevant',
    { path: asked },
    served(1, { text: /^(?![\s\S]*The redshank rests)[\s\S]*turnstone/ }),
  ),
  send(
    'RD08',
    'an empty q is no question',
    { path: `${page}?q=` },
    served(1, { text: /## The sanderling[\s\S]*## The redshank/ }),
  ),
  send(
    'RD09',
    'q of 2,000 characters is taken',
    { path: `${page}?q=${'turnstone+'.repeat(199)}turnstones` },
    served(1),
  ),
  send('RD10', 'q of 2,001 characters is refused', { path: `${page}?q=${'q'.repeat(2_001)}` }, refused('q')),
  send(
    'RD11',
    'a page of plain text is read',
    { path: '/r/{site}/plain' },
    served(1, { text: /Plain notes on the sanderling/ }),
  ),

  send(
    'RE01',
    'a percent-encoded address is read',
    { path: '/r/{site%}%2Fbirds' },
    served(1, { text: /Birds of the shore/ }),
  ),
  send(
    'RE02',
    'a single slash after the scheme is repaired',
    { path: '/r/http:/127.10.0.1:{port}/birds' },
    served(1, { text: /Birds of the shore/ }),
  ),
  send('RE03', 'the query string stays with the page', { path: '/r/{site}/query?a=1&b=2' }, shows('a=1&b=2')),
  send(
    'RE04',
    'of it only q is ours',
    { path: '/r/{site}/query?a=1&q=sanderling&b=2' },
    served(1, { text: /^(?![\s\S]*q=sanderling)/ }),
  ),
  send(
    'RE05',
    "a page's own q is percent-encoded",
    { path: '/r/{site%}%2Fquery%3Fq%3Dbird%26x%3D1' },
    shows('q=bird&x=1'),
  ),
  send(
    'RE06',
    'an encoded address takes our q behind it',
    { path: `/r/{site%}%2Fquery%3Fx%3D1?q=${encodeURIComponent('sanderling')}` },
    served(1, { text: /sanderling/ }),
  ),
  send('RE07', 'a page with no query gets none', { path: '/r/{site}/query' }, shows('no query')),
  ...each(
    ['/r', '/r/', '/r/?q=x', '/r/ftp://example.org/', '/r/mailto:a@example.org', '/r/https://'],
    (path, n) => send(`RE08.${n}`, `${path} names no page`, { path }, failing(400, 'url_not_allowed')),
  ),
  send(
    'RE09',
    'a page that cannot be fetched is 502 JSON with a message',
    { path: '/r/{site}/lost' },
    failing(502, 'fetch_failed', { message: /\S/, headers: { 'content-type': /^application\/json/ } }),
  ),
  send(
    'RE10',
    'searchTimeMs and its like are not in headers of the reader',
    { path: page },
    served(1, { headers: { 'x-payment-url': null } }),
  ),
];
