import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UpstreamItem } from '../fixtures/upstream/bodies.ts';
import type { Route } from '../fixtures/web.ts';

/** "5 MB body" (interface: Limits). */
const PAGE_BYTES_MAX = 5_242_880;

const page = (title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head>
<body><main><article><h1>${title}</h1>${body}</article></main></body></html>`;

const dated = (day: string): string => `<meta property="article:published_time" content="${day}T10:00:00Z">`;

const BIRDS = ['sanderling', 'dunlin', 'knot', 'turnstone', 'plover', 'curlew', 'godwit', 'redshank'];

/** About 5,000 characters in paragraphs of one subject each. */
const NOTES = BIRDS.map(
  (bird, place) =>
    `<h2>The ${bird}</h2><p>Note ${place}: the ${bird} is a wading bird that feeds along the edge of the water. Observers
counted ${(place + 3) * 117} of them on the northern beach in the first week of winter, and half as many when the wind had turned.</p>
<p>The ${bird} rests on one leg at high water. Its flocks leave the roost together as soon as the tide uncovers the first sandbank,
and they spread out to feed while the others are still asleep above the tide line of the ${place + 2} groynes.</p>`,
).join('\n');

const TABLE = `<table><thead><tr><th>Bird</th><th>Count</th></tr></thead><tbody>${Array.from(
  { length: 60 },
  (_, row) => `<tr><td>Wader number ${row} of the survey</td><td>${row * 31}</td></tr>`,
).join('')}</tbody></table>`;

const CODE = `<pre><code class="language-js">${Array.from(
  { length: 60 },
  (_, line) => `const count${line} = survey.count('wader ${line}');`,
).join('\n')}</code></pre>`;

const redirect =
  (location: string) =>
  (_: unknown, response: ServerResponse): void =>
    void response.writeHead(302, { location }).end();

const status =
  (code: number) =>
  (_: unknown, response: ServerResponse): void =>
    void response
      .writeHead(code, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        page(`Status ${code}`, `<p>This page answers ${code}, and this text is not what was asked for.</p>`),
      );

const bytes =
  (count: number) =>
  (_: unknown, response: ServerResponse): void => {
    const start = page('A large page', NOTES);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(start + ' '.repeat(count - Buffer.byteLength(start)));
  };

const typed =
  (type: string, body: string | Uint8Array) =>
  (_: unknown, response: ServerResponse): void =>
    void response.setHeader('content-type', type).end(body);

/** `/hops/5` redirects five times before the page. */
const HOPS = Object.fromEntries(
  Array.from({ length: 7 }, (_, place) => [
    `/hops/${place + 1}`,
    redirect(place === 0 ? '/birds' : `/hops/${place}`),
  ]),
);

/** A page that asks not to be shared, or does not; it says the word of its query. */
const marked =
  (headers: Record<string, string>, head = '') =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const word = new URL(request.url ?? '/', 'http://site').searchParams.get('word') ?? '';
    const text = `<p>The ${word} lives here, says this page about the ${word}. ${ownWords(word.length)}</p>`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(page(`About the ${word}`, text, head));
  };

const RESULTS = 40;
const SYLLABLES = ['ka', 'lo', 'mi', 'ter', 'sun', 'vel', 'dra', 'po', 'nis', 'gar', 'he', 'bru'];

/** Invented words, different for every place: nothing takes two of the pages for one. */
function ownWords(place: number): string {
  let state = place * 7_919 + 17;
  const syllable = (): string => {
    state = (state * 48_271) % 2_147_483_647;
    return SYLLABLES[state % SYLLABLES.length] ?? '';
  };
  return Array.from({ length: 60 }, () => syllable() + syllable() + syllable()).join(' ');
}

const FOUND = Object.fromEntries(
  Array.from({ length: RESULTS }, (_, place) => [
    `/n/${place}`,
    page(
      `Survey ${place} of the ${BIRDS[place % BIRDS.length]}`,
      `<p>Counts of the ${BIRDS[place % BIRDS.length]}, a wading bird: ${ownWords(place)}.</p>`.repeat(4),
      dated(dayOf(place)),
    ),
  ]),
);

/** The pages of the site, by their paths. */
export const SITE_PAGES: Record<string, Route> = {
  '/birds': page('Birds of the shore', NOTES, dated('2025-03-01')),
  '/undated': page('Waders without a date', NOTES),
  '/short': page(
    'A short note',
    '<p>The sanderling runs along the surf. It feeds on sandhoppers in the wet sand.</p>',
  ),
  '/table': page('Counts of the survey', `<p>All counts of the survey of waders.</p>${TABLE}`),
  '/code': page('Code of the survey', `<p>The program that counts the waders.</p>${CODE}`),
  '/docs/one': page('Guide one', `${NOTES}<p><a href="/docs/two">Next</a></p>`),
  '/docs/two': page(
    'Guide two',
    `<p>The second guide explains how a flock is counted. ${'Count twice. '.repeat(20)}</p>`,
  ),
  '/docs/': page(
    'Guides',
    `<p>All guides of the survey, for whoever counts waders on the beach in winter.</p>
<ul><li><a href="/docs/one">Guide one</a></li><li><a href="/docs/two">Guide two</a></li><li><a href="/docs/lost">Lost</a></li></ul>`,
  ),
  '/wide/': page(
    'Many guides',
    `<p>Guides of the survey, one for each beach.</p><ul>${Array.from({ length: 15 }, (_, place) => `<li><a href="/wide/${place}">Guide ${place}</a></li>`).join('')}</ul>`,
  ),
  ...Object.fromEntries(
    Array.from({ length: 15 }, (_, place) => [
      `/wide/${place}`,
      page(`Guide ${place}`, `<p>Guide ${place} to counting waders: ${ownWords(place)}.</p>`),
    ]),
  ),
  '/private/open': marked({}),
  '/private/no-store': marked({ 'cache-control': 'no-store' }),
  '/private/private': marked({ 'cache-control': 'private' }),
  '/private/private-no-store': marked({ 'cache-control': 'private, no-store' }),
  '/private/noindex-header': marked({ 'x-robots-tag': 'noindex' }),
  '/private/noindex-meta': marked({}, '<meta name="robots" content="noindex">'),
  '/private/none-meta': marked({}, '<meta name="robots" content="none">'),
  '/private/robots-name': marked({}, '<meta name="ROBOTS" content="NOINDEX, FOLLOW">'),
  '/gone': status(410),
  '/locked': status(401),
  '/forbidden': status(403),
  '/broken': status(500),
  '/unavailable': status(503),
  '/empty': typed('text/html', ''),
  '/blank': page('', ' '),
  '/image': typed('image/png', new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0])),
  '/plain': typed('text/plain; charset=utf-8', 'Plain notes on the sanderling.\nSecond line of the notes.\n'),
  '/largest': bytes(PAGE_BYTES_MAX),
  '/too-large': bytes(PAGE_BYTES_MAX + 1),
  '/to-private': redirect('http://10.0.0.1/'),
  '/to-loopback': redirect('http://127.0.0.1/'),
  '/to-metadata': redirect('http://169.254.169.254/latest/meta-data/'),
  '/to-file': redirect('file:///etc/passwd'),
  '/loop': redirect('/loop'),
  '/query': (request, response) => {
    const asked = (request.url ?? '').split('?')[1] ?? 'no query';
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(page('The query', `<p>Asked: ${asked.replaceAll('&', '&amp;')}</p>${NOTES}`));
  },
  ...HOPS,
  ...FOUND,
};

/** Result `place` was published on this day; every eighth has no date. */
function dayOf(place: number): string {
  return `2025-${String((place % 12) + 1).padStart(2, '0')}-15`;
}

/** What the upstream source answers: 40 pages on as many hosts; a query that starts with "nothing" finds none. */
export function foundFor(asked: URL, port: number): UpstreamItem[] {
  const query = asked.searchParams.get('q') ?? '';
  if (query.startsWith('nothing')) return [];
  return Array.from({ length: RESULTS }, (_, place) => ({
    url: `http://host${place}.example:${port}/n/${place}`,
    title: `Survey ${place} of the ${BIRDS[place % BIRDS.length]}`,
    snippet: `Survey ${place}: counts of the ${BIRDS[place % BIRDS.length]} for ${query.slice(0, 100)}. ${ownWords(place)}`,
    publishedDay: place % 8 === 7 ? null : dayOf(place),
  }));
}
