import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JSON_SHAPES, type Shape, type UpstreamItem } from './shapes.ts';

export type { UpstreamItem } from './shapes.ts';
export type UpstreamName = keyof typeof JSON_SHAPES | 'arxiv';

/** Every source that can be played. */
export const UPSTREAM_NAMES: readonly UpstreamName[] = [
  ...(Object.keys(JSON_SHAPES) as (keyof typeof JSON_SHAPES)[]),
  'arxiv',
];

/** The recorded answer of a source as it came over the wire: two results, invented content. */
export function recordedBody(name: UpstreamName): string {
  const file = name === 'arxiv' ? 'arxiv.xml' : `${name}.json`;
  return readFileSync(join(import.meta.dirname, file), 'utf8');
}

/** The recorded answer with these results in place of its own, each with all the fields that such a result has. */
export function bodyWith(name: UpstreamName, items: readonly UpstreamItem[]): string {
  if (name === 'arxiv') return atomWith(items);
  const shape: Shape = JSON_SHAPES[name];
  const root = JSON.parse(recordedBody(name)) as Record<string, unknown>;
  const parent = shape.list.slice(0, -1).reduce((node, key) => node[key] as Record<string, unknown>, root);
  const key = shape.list.at(-1) ?? '';
  const [template] = parent[key] as Record<string, unknown>[];
  parent[key] = items.map((item, index) => ({ ...template, ...shape.item(item, index) }));
  return JSON.stringify(items.length === 0 ? { ...root, ...shape.empty } : root);
}

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function atomWith(items: readonly UpstreamItem[]): string {
  const recorded = recordedBody('arxiv');
  const head = recorded.slice(0, recorded.indexOf('  <entry>'));
  const entries = items.map(({ url, title, snippet, publishedDay }) =>
    [
      '  <entry>',
      `    <id>${xml(url)}</id>`,
      '    <updated>2026-01-01T00:00:00Z</updated>',
      publishedDay === null ? '' : `    <published>${publishedDay}T00:00:00Z</published>`,
      `    <title>${xml(title)}</title>`,
      `    <summary>${xml(snippet)}</summary>`,
      `    <link href="${xml(url)}" rel="alternate" type="text/html"/>`,
      '  </entry>',
    ].join('\n'),
  );
  return `${head}${entries.join('\n')}\n</feed>\n`;
}

/** The recorded answer with every leaf of its JSON (and every list) of a type that nobody expects there. */
export function bodyOfWrongTypes(name: UpstreamName): string {
  if (name === 'arxiv') return recordedBody(name).replaceAll(/>[^<]+</g, '><wrong>1</wrong><');
  return JSON.stringify(wrong(JSON.parse(recordedBody(name))));
}

function wrong(value: unknown): unknown {
  if (Array.isArray(value)) return Object.fromEntries(value.map((item, at) => [`n${at}`, wrong(item)]));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, wrong(item)]));
  if (typeof value === 'string') return { text: value };
  if (typeof value === 'number') return [value];
  return 'yes';
}

/** A whole and valid answer of at least so many bytes. */
export function bodyOfBytes(name: UpstreamName, bytes: number): string {
  const filler = 'tide '.repeat(2_000);
  const count = Math.ceil(bytes / filler.length);
  return bodyWith(
    name,
    Array.from({ length: count }, (_, index) => ({
      url: `https://big.example.org/${index}`,
      title: `Big ${index}`,
      snippet: filler,
      publishedDay: null,
    })).map((item) => (carriesSnippet(name) ? item : { ...item, title: filler })),
  );
}

const carriesSnippet = (name: UpstreamName): boolean => name !== 'stackexchange';

/** Addresses that no result may carry. */
export const HOSTILE_URLS: readonly string[] = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,<p>hello',
  'http://127.0.0.1/admin',
  'http://2130706433/',
  'http://[::1]/',
  'http://localhost:8080/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.7/',
  'https://user:secret@bank.example.org/',
  '/relative/path',
  'no address at all',
  'ftp://files.example.org/a',
  `https://long.example.org/${'a'.repeat(20_000)}`,
  '',
];
