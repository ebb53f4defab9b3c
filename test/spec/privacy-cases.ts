import assert from 'node:assert/strict';
import { type Case, each, posting, type Sent, sending, served } from './spec-case.ts';

const send = sending();
const MARKS = [
  'no-store',
  'private',
  'private-no-store',
  'noindex-header',
  'noindex-meta',
  'none-meta',
  'robots-name',
];
const SECRETS = ['token', 'signature', 'X-Amz-Signature', 'sig', 'access_token'];
const SECRET = 's3cr3tValue0123456789abcdef';

/** Reads a private page about a word and then an open one; whoever searches for the word then finds the open one alone. */
const notFound = (id: string, holds: string, { word, read }: { word: string; read: Sent }): Case => {
  const open = `{site}/private/open?word=${word}`;
  return {
    ...posting('/v1/search')(
      id,
      holds,
      { query: `nothing but ${word}`, includeDomains: ['127.10.0.1'] },
      {
        status: 200,
        charged: 3,
        is: { 'results.length': 1 },
        check: ({ json, text }) => {
          assert.match(json.results[0].url, /\/private\/open[?]word=\w+$/);
          assert.ok(!text.includes(SECRET));
        },
      },
    ),
    before: [read, { path: `/r/${open}`, indexed: open }],
  };
};

/** Pages that ask not to be shared, and addresses that carry a secret. */
export const PRIVACY_CASES: Case[] = [
  ...each(MARKS, (mark, n) =>
    notFound(`PV01.${n}`, `a page marked ${mark} is not found by other callers`, {
      word: `quokka${n}`,
      read: { path: `/r/{site}/private/${mark}?word=quokka${n}` },
    }),
  ),
  ...each(SECRETS, (name, n) =>
    notFound(`PV02.${n}`, `a page whose address carries ${name} is not found by other callers`, {
      word: `wombat${n}`,
      read: { path: `/r/{site%}${encodeURIComponent(`/private/open?word=wombat${n}&${name}=${SECRET}`)}` },
    }),
  ),
  ...each(['no-store', 'private'], (mark, n) =>
    send(
      `PV03.${n}`,
      `a page marked ${mark} is fetched anew for the next caller`,
      { path: `/r/{site}/private/${mark}?word=fresh${n}`, times: 2 },
      served(2, { headers: { 'x-cache': 'miss' } }),
    ),
  ),
  send(
    'PV04',
    'a page that may be shared is kept',
    { path: '/r/{site}/private/open?word=numbat', times: 2 },
    served(2, { headers: { 'x-cache': 'hit' } }),
  ),
];
