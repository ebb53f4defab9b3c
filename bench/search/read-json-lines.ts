import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Reads a file of JSON lines, compressed or not. */
export function readJsonLines<Line>(path: string): Line[] {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line));
}
