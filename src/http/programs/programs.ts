/**
 * Example calls as runnable programs (curl, JavaScript, Python) for the pages and the documentation. It formats text only and runs nothing.
 */
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../calls/call.ts';
import type { Operation } from '../calls/operation.ts';

/** A call written as a program in one language. */
type Program = { language: 'curl' | 'JavaScript' | 'Python'; code: string };

type Sample = { method: string; url: string; body: JsonObject | null; withKey: boolean };

/** Builds runnable programs of a call. Those with a key read it from SANDERLING_API_KEY; an empty key means keyless. */
export function buildPrograms(sample: Sample): Program[] {
  return [
    { language: 'curl', code: formatCurl(sample) },
    { language: 'JavaScript', code: formatJavaScript(sample) },
    { language: 'Python', code: formatPython(sample) },
  ];
}

/** Builds runnable programs of an operation's example. */
export function buildExamples(
  operation: Operation,
  {
    method,
    path,
    serviceUrl,
    withKey,
  }: { method: string; path: string; serviceUrl: string; withKey: boolean },
): Program[] {
  if (operation.example === undefined) return [];
  const { example } = operation;
  const body: JsonObject | null = example.body ?? null;
  return buildPrograms({ method, url: serviceUrl + (example.path ?? path), body, withKey });
}

function formatCurl({ url, body, withKey }: Sample): string {
  const lines = [
    `curl -sS ${quoteForShell(url)}`,
    ...(withKey ? [`-H "x-api-key: $SANDERLING_API_KEY"`] : []),
  ];
  if (body !== null)
    lines.push(`-H 'content-type: application/json'`, `-d ${quoteForShell(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

/** Quotes text for a shell in single quotes, and escapes those inside. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Templates with the placeholders `{url}`, `{method}` and `{body}`. */
const JAVASCRIPT = readProgram('./javascript.txt');
const PYTHON = readProgram('./python.txt');

function readProgram(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8').trimEnd();
}

const formatJavaScript = (sample: Sample): string =>
  fillTemplate(JAVASCRIPT, sample, (body) => `\n  body: JSON.stringify(${formatIndentedJson(body)}),`);

const formatPython = (sample: Sample): string =>
  fillTemplate(PYTHON, sample, (body) => `\n    data=json.dumps(${formatPythonValue(body)}).encode(),`);

/** Matches the key header in a template. */
const KEY_HEADER = /['"]x-api-key['"]: [^,:]+(?:, ""\))?, (?=['"]content-type)/;

function fillTemplate(
  program: string,
  { method, url, body, withKey }: Sample,
  sent: (body: object) => string,
): string {
  return (withKey ? program : program.replace(KEY_HEADER, ''))
    .replace('{url}', () => escapeQuotes(url))
    .replace('{method}', method)
    .replace('{body}', () => (body === null ? '' : sent(body)));
}

/** Percent-encodes quotes and backslashes, so that a URL fits between quotes. */
const escapeQuotes = (url: string): string =>
  url.replace(/['"\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

const formatIndentedJson = (body: object): string => JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');

/** Formats a JSON value as Python; strings and numbers of JSON are valid Python. */
function formatPythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(formatPythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${formatPythonValue(inner)}`,
  );
  return `{${fields.join(', ')}}`;
}
