import type { Operation } from './operation.ts';

export type Language = 'curl' | 'JavaScript' | 'Python';
export type ExampleCode = { language: Language; code: string };

type Sample = { method: string; url: string; body: Record<string, unknown> | null };

/** The example of an operation as programs that run as they stand; the key comes from SANDERLING_API_KEY, and an empty one is none. */
export function examplesOf(
  operation: Operation,
  { method, path, serviceUrl }: { method: string; path: string; serviceUrl: string },
): ExampleCode[] {
  if (operation.example === undefined) return [];
  const { example } = operation;
  const sample: Sample = {
    method,
    url: serviceUrl + (example.path ?? path),
    body: example.body ?? null,
  };
  return [
    { language: 'curl', code: curl(sample) },
    { language: 'JavaScript', code: javaScript(sample) },
    { language: 'Python', code: python(sample) },
  ];
}

function curl({ url, body }: Sample): string {
  const lines = [`curl -sS '${url}'`, `-H "x-api-key: $SANDERLING_API_KEY"`];
  if (body !== null) lines.push(`-H 'content-type: application/json'`, `-d '${JSON.stringify(body)}'`);
  return lines.join(' \\\n  ');
}

function javaScript({ method, url, body }: Sample): string {
  const headers =
    body === null
      ? `{ 'x-api-key': process.env.SANDERLING_API_KEY ?? '' }`
      : `{ 'x-api-key': process.env.SANDERLING_API_KEY ?? '', 'content-type': 'application/json' }`;
  const sent = body === null ? '' : `\n  body: JSON.stringify(${indented(body)}),`;
  return `const response = await fetch('${url}', {
  method: '${method}',
  headers: ${headers},${sent}
});
console.log(await response.text());`;
}

function python({ method, url, body }: Sample): string {
  const sent = body === null ? 'None' : `json.dumps(${pythonic(body)}).encode()`;
  return `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    method="${method}",
    headers={"x-api-key": os.environ.get("SANDERLING_API_KEY", ""), "content-type": "application/json"},
    data=${sent},
)
print(urllib.request.urlopen(request).read().decode())`;
}

const indented = (body: object): string => JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');

/** JSON is Python but for its three words. */
function pythonic(body: object): string {
  return JSON.stringify(body)
    .replace(/:true\b/g, ': True')
    .replace(/:false\b/g, ': False')
    .replace(/:null\b/g, ': None');
}
