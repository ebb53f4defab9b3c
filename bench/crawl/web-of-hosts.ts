/**
 * A web of many hosts on loopback, in a process of its own: `node bench/crawl/web-of-hosts.ts <hosts> <pages of each>` prints its
 * port. Host n is http://127.20.x.y:PORT, with x * 256 + y = n; its pages link to each other and to the next hosts.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [hosts = 1_000, pages = 40] = process.argv.slice(2).map(Number);
/** Words of a page, about 6 KB of text. */
const WORDS_A_PAGE = 900;
const LINKED_HOSTS = 3;

const WORDS = Array.from({ length: 5_000 }, (_, place) => {
  const syllables = ['ta', 'ri', 'mo', 'ke', 'lu', 'san', 'der', 'ling', 'pa', 'vo'];
  return [place % 10, Math.floor(place / 10) % 10, Math.floor(place / 100) % 10, Math.floor(place / 1_000)]
    .map((at) => syllables[at])
    .join('');
});

const server = createServer((request, response) => {
  const host = request.headers.host ?? '';
  const [, , x = 0, y = 0] = (host.split(':')[0] ?? '').split('.').map(Number);
  const place = x * 256 + y;
  if (request.url === '/robots.txt') return void response.end('User-agent: *\nDisallow: /private/\n');
  const page = Number(
    /^\/page\/(\d+)$/.exec(request.url ?? '')?.[1] ?? (request.url === '/' ? 0 : Number.NaN),
  );
  if (!(page < pages) || place >= hosts) return void response.writeHead(404).end();
  response
    .setHeader('content-type', 'text/html; charset=utf-8')
    .end(pageOf(place, page, host.split(':')[1] ?? ''));
});
server.listen(0, '0.0.0.0', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

function pageOf(place: number, page: number, port: string): string {
  let state = place * 7_919 + page * 104_729 + 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  // Common words come often, rare ones seldom.
  const word = (): string => WORDS[Math.floor(next() ** 3 * WORDS.length)] ?? '';
  const sentence = (): string => `${Array.from({ length: 15 }, word).join(' ')}.`;
  const paragraphs = Array.from(
    { length: WORDS_A_PAGE / 90 },
    () => `<p>${Array.from({ length: 6 }, sentence).join(' ')}</p>`,
  );
  const inside = Array.from({ length: 12 }, () => `/page/${Math.floor(next() * pages)}`);
  inside.push(`/page/${(page + 1) % pages}`);
  const outside = Array.from({ length: LINKED_HOSTS }, (_, step) =>
    originOf((place + step + 1) % hosts, port),
  );
  const nav = [...inside, ...outside].map((href) => `<li><a href="${href}">${word()} ${word()}</a></li>`);
  const title = `${word()} ${word()} ${place}.${page}`;
  return `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="${sentence()}"></head>
<body><header><nav><ul>${nav.join('')}</ul></nav></header><main><article><h1>${title}</h1>
${paragraphs.slice(0, 5).join('\n')}<h2>${word()} ${word()}</h2>${paragraphs.slice(5).join('\n')}</article></main>
<footer><p>Page ${page} of ${pages}</p></footer></body></html>`;
}

function originOf(place: number, port: string): string {
  return `http://127.20.${Math.floor(place / 256)}.${place % 256}:${port}/`;
}
