import type { JsonObject } from '../../calls/call.ts';
import { toSnakeCase } from '../../openapi/json-schema.ts';

/** A program that uses a client library. */
type SdkProgram = { library: string; code: string };

/** An operation in the client libraries: the field that is the first argument, and the names of the functions. */
type SdkCall = { first: string; javaScript: string; python: string };

const FIRST_SHAPE: Record<string, SdkCall> = {
  search: { first: 'query', javaScript: 'search', python: 'search' },
  answer: { first: 'query', javaScript: 'answer', python: 'answer' },
  contents: { first: 'urls', javaScript: 'getContents', python: 'get_contents' },
  findSimilar: { first: 'url', javaScript: 'findSimilar', python: 'find_similar' },
};

const SECOND_SHAPE: Record<string, SdkCall> = {
  shapeBSearch: { first: 'query', javaScript: 'search', python: 'search' },
  shapeBExtract: { first: 'urls', javaScript: 'extract', python: 'extract' },
  shapeBCrawl: { first: 'url', javaScript: 'crawl', python: 'crawl' },
  shapeBMap: { first: 'url', javaScript: 'map', python: 'map' },
};

/** Builds an operation's example for the client libraries of its shape; none for operations that they do not support. */
export function buildSdkPrograms(
  { id, body }: { id: string; body: JsonObject | null },
  { serviceUrl: url, withKey }: { serviceUrl: string; withKey: boolean },
): SdkProgram[] {
  const service = { url, key: withKey ? KEYS.fromEnvironment : KEYS.any };
  const first = FIRST_SHAPE[id];
  const second = SECOND_SHAPE[id];
  if (body === null) return [];
  if (first !== undefined)
    return [
      { library: 'exa-js', code: formatExaJavaScript(formatJavaScriptCall(first, body), service) },
      { library: 'exa-py', code: formatExaPython(formatPythonCall(first, body), service) },
    ];
  if (second === undefined) return [];
  return [
    { library: '@tavily/core', code: formatTavilyJavaScript(formatJavaScriptCall(second, body), service) },
    { library: 'tavily-python', code: formatTavilyPython(formatPythonCall(second, body), service) },
  ];
}

/** The libraries require a key even where none is needed. */
const KEYS = {
  fromEnvironment: {
    javaScript: `${'process'}.env.SANDERLING_API_KEY || 'keyless'`,
    python: 'os.environ.get("SANDERLING_API_KEY") or "keyless"',
  },
  any: { javaScript: "'any'", python: '"any"' },
};
type SdkTarget = { url: string; key: (typeof KEYS)['any'] };

const formatExaJavaScript = (call: string, { url, key }: SdkTarget): string => `import Exa from 'exa-js';

const exa = new Exa(${key.javaScript}, '${url}');
console.log(JSON.stringify(await exa.${call}));`;

const formatTavilyJavaScript = (
  call: string,
  { url, key }: SdkTarget,
): string => `import { tavily } from '@tavily/core';

const client = tavily({
  apiKey: ${key.javaScript},
  apiBaseURL: '${url}/shapeB',
});
console.log(JSON.stringify(await client.${call}));`;

const formatExaPython = (
  call: string,
  { url, key }: SdkTarget,
): string => `${key === KEYS.any ? '' : 'import os\n'}from exa_py import Exa

exa = Exa(${key.python}, base_url="${url}")
print(exa.${call})`;

const formatTavilyPython = (
  call: string,
  { url, key }: SdkTarget,
): string => `${key === KEYS.any ? '' : 'import os\n'}from tavily import TavilyClient

client = TavilyClient(
    ${key.python}, api_base_url="${url}/shapeB"
)
print(client.${call})`;

function formatJavaScriptCall({ first, javaScript }: SdkCall, body: JsonObject): string {
  const { [first]: subject, ...options } = body;
  const shown = Object.entries(options).map(
    ([name, value]) => `${toCamelCase(name)}: ${JSON.stringify(value)}`,
  );
  const rest = shown.length === 0 ? '' : `, { ${shown.join(', ')} }`;
  return `${javaScript}(${JSON.stringify(subject)}${rest})`;
}

function formatPythonCall({ first, python }: SdkCall, body: JsonObject): string {
  const { [first]: subject, ...options } = body;
  const shown = Object.entries(options).map(
    ([name, value]) => `${toSnakeCase(name)}=${formatPythonValue(value)}`,
  );
  return `${python}(${[formatPythonValue(subject), ...shown].join(', ')})`;
}

const toCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Formats a JSON value as Python code. */
function formatPythonValue(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(formatPythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value as JsonObject).map(
    ([name, one]) => `"${toSnakeCase(name)}": ${formatPythonValue(one)}`,
  );
  return `{${fields.join(', ')}}`;
}
