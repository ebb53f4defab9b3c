import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

/**
 * The values of a compressed file of JSON lines, one at a time. Only a line feed ends a line: readline also ends one at
 * U+2028, which pages have in their text.
 */
export async function* jsonLines(path: string): AsyncGenerator<unknown> {
  const input = createReadStream(path).pipe(createGunzip()).setEncoding('utf8');
  let rest = '';
  for await (const piece of input) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
  if (rest.trim() !== '') yield JSON.parse(rest);
}
