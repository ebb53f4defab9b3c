import type { JsonObject } from '../../calls/call.ts';
import { snakeName } from '../../openapi/json-schema.ts';

/** A program for a client library. */
type SdkProgram = { library: string; code: string };

/** How the client libraries call an operation: the field that is their first argument, and the names of their functions. */
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

/** An operation's example with the client libraries of its shape; none for operations that they do not know. */
export function sdkPrograms(
  { id, body }: { id: string; body: JsonObject | null },
  { serviceUrl: url, withKey }: { serviceUrl: string; withKey: boolean },
): SdkProgram[] {
  const service = { url, key: withKey ? KEYS.fromEnvironment : KEYS.any };
  const first = FIRST_SHAPE[id];
  const second = SECOND_SHAPE[id];
  if (body === null) return [];
  if (first !== undefined)
    return [
      { library: 'exa-js', code: exaJavaScript(javaScriptCall(first, body), service) },
      { library: 'exa-py', code: exaPython(pythonCall(first, body), service) },
    ];
  if (second === undefined) return [];
  return [
    { library: '@tavily/core', code: tavilyJavaScript(javaScriptCall(second, body), service) },
    { library: 'tavily-python', code: tavilyPython(pythonCall(second, body), service) },
  ];
}

/** The libraries insist on a key, also where none is needed. */
const KEYS = {
  fromEnvironment: {
    javaScript: `${'process'}.env.SANDERLING_API_KEY || 'keyless'`,
    python: 'os.environ.get("SANDERLING_API_KEY") or "keyless"',
  },
  any: { javaScript: "'any'", python: '"any"' },
};
type ServiceAt = { url: string; key: (typeof KEYS)['any'] };

const exaJavaScript = (call: string, { url, key }: ServiceAt): string => `import Exa from 'exa-js';

const exa = new Exa(${key.javaScript}, '${url}');
console.log(JSON.stringify(await exa.${call}));`;

const tavilyJavaScript = (
  call: string,
  { url, key }: ServiceAt,
): string => `import { tavily } from '@tavily/core';

const client = tavily({
  apiKey: ${key.javaScript},
  apiBaseURL: '${url}/shapeB',
});
console.log(JSON.stringify(await client.${call}));`;

const exaPython = (
  call: string,
  { url, key }: ServiceAt,
): string => `${key === KEYS.any ? '' : 'import os\n'}from exa_py import Exa

exa = Exa(${key.python}, base_url="${url}")
print(exa.${call})`;

const tavilyPython = (
  call: string,
  { url, key }: ServiceAt,
): string => `${key === KEYS.any ? '' : 'import os\n'}from tavily import TavilyClient

client = TavilyClient(
    ${key.python}, api_base_url="${url}/shapeB"
)
print(client.${call})`;

function javaScriptCall({ first, javaScript }: SdkCall, body: JsonObject): string {
  const { [first]: subject, ...options } = body;
  const shown = Object.entries(options).map(([name, value]) => `${camelled(name)}: ${JSON.stringify(value)}`);
  const rest = shown.length === 0 ? '' : `, { ${shown.join(', ')} }`;
  return `${javaScript}(${JSON.stringify(subject)}${rest})`;
}

function pythonCall({ first, python }: SdkCall, body: JsonObject): string {
  const { [first]: subject, ...options } = body;
  const shown = Object.entries(options).map(([name, value]) => `${snakeName(name)}=${pythonic(value)}`);
  return `${python}(${[pythonic(subject), ...shown].join(', ')})`;
}

const camelled = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A JSON value as Python writes it. */
function pythonic(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(pythonic).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value as JsonObject).map(
    ([name, one]) => `"${snakeName(name)}": ${pythonic(one)}`,
  );
  return `{${fields.join(', ')}}`;
}
