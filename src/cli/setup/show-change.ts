import { styleText } from 'node:util';
import type { FileChange } from './managed-file.ts';

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 2;
/** A longer line, such as that of a minified file, is cut. */
const LINE_CHARS_MAX = 200;
const SHOWN_KEY_CHARS = 4;

/** A long run of letters and digits, as keys are, that is no path, address or word. */
const TOKEN = /(?<![\w/.-])[A-Za-z0-9_-]{20,}(?![\w/.])/g;
/** The text behind a name that says it is secret: `"apiKey": "…"`, `password = "…"`. */
const SECRET =
  /((?:key|token|secret|password|passwd|auth|authorization|credential|credentials)["']?\s*[:=]\s*["'])((?:Bearer |Basic )?)([^"']+)/gi;

/** Formats changes as diffs with some lines around, in which no key can be read in full. A new file like an earlier one is not repeated. */
export function formatChanges(changes: readonly FileChange[]): string {
  const created = new Set<string>();
  return changes
    .map((change) => {
      const { file, before, after } = change;
      if (before !== null || after === null) return formatChange(change);
      if (created.has(after)) return styleText('bold', `+++ ${file.path} (new file, the same as above)\n`);
      created.add(after);
      return formatChange(change);
    })
    .map((text) => `${text}\n`)
    .join('');
}

function formatChange({ file, before, after }: FileChange): string {
  const [old, next] = [toLines(before), toLines(after)];
  let top = 0;
  while (top < old.length && top < next.length && old[top] === next[top]) top++;
  let bottom = 0;
  const most = Math.min(old.length, next.length) - top;
  while (bottom < most && old.at(-1 - bottom) === next.at(-1 - bottom)) bottom++;
  const above = old.slice(Math.max(0, top - CONTEXT_LINES), top);
  const below = old.slice(old.length - bottom).slice(0, CONTEXT_LINES);
  return [
    styleText('bold', `--- ${before === null ? '(new file)' : file.path}`),
    styleText('bold', `+++ ${after === null ? '(removed)' : file.path}`),
    styleText('cyan', `@@ line ${top + 1} @@`),
    ...above.map((line) => `  ${cleanLine(line)}`),
    ...old.slice(top, old.length - bottom).map((line) => styleText('red', `- ${cleanLine(line)}`)),
    ...next.slice(top, next.length - bottom).map((line) => styleText('green', `+ ${cleanLine(line)}`)),
    ...below.map((line) => `  ${cleanLine(line)}`),
    '',
  ].join('\n');
}

function toLines(text: string | null): string[] {
  if (text === null || text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** Hides keys, also those of other servers, and what a terminal would obey. */
function cleanLine(line: string): string {
  const masked = line
    .replaceAll('\uFEFF', '')
    .replace(/(?!\t)\p{Cc}/gu, '�')
    .replace(SECRET, (_, name: string, scheme: string, secret: string) => name + scheme + maskSecret(secret))
    .replace(TOKEN, (token) => (/\d/.test(token) && /[a-z]/i.test(token) ? maskSecret(token) : token));
  return masked.length > LINE_CHARS_MAX ? `${masked.slice(0, LINE_CHARS_MAX)}…` : masked;
}

/** `sdl_abcdefgh` -> `sdl_…`. */
function maskSecret(secret: string): string {
  return secret.endsWith('…') ? secret : `${secret.slice(0, SHOWN_KEY_CHARS)}…`;
}
