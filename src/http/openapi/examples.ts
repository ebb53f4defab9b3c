import { readFileSync } from 'node:fs';
import type { Operation } from '../calls/operation.ts';

type Language = 'curl' | 'JavaScript' | 'Python';
type ExampleCode = { language: Language; code: string };

type Sample = { method: string; url: string; body: Record<string, unknown> | null; withKey: boolean };

/** An operation's example as runnable programs. With a key they read the key from SANDERLING_API_KEY; an empty key means keyless. */
export function examplesOf(
  operation: Operation,
  {
    method,
    path,
    serviceUrl,
    withKey,
  }: { method: string; path: string; serviceUrl: string; withKey: boolean },
): ExampleCode[] {
  if (operation.example === undefined) return [];
  const { example } = operation;
  const sample: Sample = {
    method,
    url: serviceUrl + (example.path ?? path),
    body: example.body ?? null,
    withKey,
  };
  return [
    { language: 'curl', code: curl(sample) },
    { language: 'JavaScript', code: javaScript(sample) },
    { language: 'Python', code: python(sample) },
  ];
}

function curl({ url, body, withKey }: Sample): string {
  const lines = [`curl -sS '${url}'`, ...(withKey ? [`-H "x-api-key: $SANDERLING_API_KEY"`] : [])];
  if (body !== null) lines.push(`-H 'content-type: application/json'`, `-d '${JSON.stringify(body)}'`);
  return lines.join(' \\\n  ');
}

/** Templates with the placeholders `{url}`, `{method}` and `{body}`. */
const JAVASCRIPT = readProgram('./example-javascript.txt');
const PYTHON = readProgram('./example-python.txt');

function readProgram(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8').trimEnd();
}

const javaScript = (sample: Sample): string =>
  filled(JAVASCRIPT, sample, (body) => `\n  body: JSON.stringify(${indented(body)}),`);

const python = (sample: Sample): string =>
  filled(PYTHON, sample, (body) => `\n    data=json.dumps(${pythonic(body)}).encode(),`);

/** The header with the key in a template. */
const KEY_HEADER = /['"]x-api-key['"]: [^,:]+(?:, ""\))?, (?=['"]content-type)/;

function filled(
  program: string,
  { method, url, body, withKey }: Sample,
  sent: (body: object) => string,
): string {
  return (withKey ? program : program.replace(KEY_HEADER, ''))
    .replace('{url}', () => url)
    .replace('{method}', method)
    .replace('{body}', () => (body === null ? '' : sent(body)));
}

const indented = (body: object): string => JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');

/** JSON is valid Python except for `true`, `false` and `null`. */
function pythonic(body: object): string {
  return JSON.stringify(body)
    .replace(/:true\b/g, ': True')
    .replace(/:false\b/g, ': False')
    .replace(/:null\b/g, ': None');
}
