import { performance } from 'node:perf_hooks';
import { REQUEST_BYTES_MAX } from '../src/contract/limits.ts';
import { parseBody, readJsonObject } from '../src/http/calls/wire.ts';
import { ContentsBody } from '../src/http/v1/contents.ts';
import { SearchBody } from '../src/http/v1/search.ts';

/** Measures the time on the event loop of the costliest 1 MB bodies, against JSON.parse without bounds. */
const ROUNDS = 15;

/** Repeats a part, which may depend on its position, until the body is full. */
function filled(
  start: string,
  part: (place: number) => string,
  end: string,
  max = Number.POSITIVE_INFINITY,
): string {
  const parts: string[] = [];
  let bytes = start.length + end.length;
  for (let place = 0; place < max; place += 1) {
    const text = (place === 0 ? '' : ',') + part(place);
    bytes += Buffer.byteLength(text);
    if (bytes > REQUEST_BYTES_MAX) break;
    parts.push(text);
  }
  return start + parts.join('') + end;
}

/** The maximum that is accepted. */
const MANY = 990;
const BODIES: Record<string, string> = {
  '70,000 unknown names': filled('{"query":"q",', (place) => `"k_${place}":1`, '}'),
  'as many names as pass': filled(
    '{"query":"q",',
    (place) => `"a_${place}_${'b_'.repeat(510)}":1`,
    '}',
    MANY,
  ),
  'short names in snake_case': filled(
    '{"query":7,"num_results":"x","include_domains":3,',
    (place) => `"a_b_c_${place}":1`,
    '}',
    MANY,
  ),
  'nested arrays': `{"query":"q","a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
  'empty arrays': filled('{"query":"q","a":[', () => '[]', ']}'),
  'one long name': `{"query":"q","${'a_'.repeat(520_000)}":1}`,
  'one long text': `{"query":"${'é'.repeat(520_000)}"}`,
  'one long address': `{"urls":["https://example.org/${'a'.repeat(1_040_000)}"]}`,
  escapes: `{"query":"${'\\u00e9'.repeat(170_000)}"}`,
  'escaped quotes': `{"query":"${'\\"'.repeat(500_000)}"}`,
  addresses: filled(
    '{"urls":[',
    (place) => `"https://example.org/${place}/${'a'.repeat(1_000)}"`,
    ']}',
    MANY,
  ),
  'wrong addresses': filled('{"urls":[', () => '1', ']}', 1_900),
  domains: filled(
    '{"query":"q","includeDomains":[',
    (place) => `"${place}.${'a.'.repeat(500)}org"`,
    ']}',
    MANY,
  ),
  'wrong domains': filled('{"query":"q","includeDomains":[', () => '{}', ']}', MANY),
  numbers: `{"query":"q","numResults":${'9'.repeat(1_040_000)}}`,
  'white space': `{"query":"q"${' '.repeat(1_040_000)}}`,
};

function timed(act: () => unknown): { ms: number; isRefused: boolean } {
  const began = performance.now();
  let isRefused = false;
  try {
    act();
  } catch {
    isRefused = true;
  }
  return { ms: performance.now() - began, isRefused };
}

function median(numbers: number[]): number {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1] ?? 0;
}

const rows = Object.entries(BODIES).map(([name, text]) => {
  const bytes = Buffer.from(text);
  const read = (): unknown => {
    const body = readJsonObject(bytes);
    return parseBody('urls' in body ? ContentsBody : SearchBody, body);
  };
  const rounds = Array.from({ length: ROUNDS }, () => timed(read));
  return {
    body: name,
    bytes: bytes.length,
    'first ms': rounds[0]?.ms.toFixed(1),
    'median ms': median(rounds.map(({ ms }) => ms)).toFixed(1),
    refused: rounds[0]?.isRefused,
    'JSON.parse ms': timed(() => JSON.parse(text)).ms.toFixed(1),
  };
});
console.table(rows);
