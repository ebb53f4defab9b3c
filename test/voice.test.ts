import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** Phrases that docs/voice.md rules out, each with what to write instead. */
const BANNED: [phrase: RegExp, instead: string][] = [
  [/\bbears? (?:up)?on\b/i, 'name the relation: "is relevant to", "affects"'],
  [/\b(?:read|sent|shown|stays?) as it is\b/i, '"unchanged"'],
  [/\bput this into the packs above\b/i, 'say what the button does'],
  [/\bwhat must be told\b/i, 'say it'],
  [/\bfor who(?:ever)? hands\b/i, 'name the person'],
  [/\bnobody waits\b/i, 'say what does not block'],
  [/\bstands? on the page of\b/i, '"is on"'],
  [/\bplease (?:note|be aware)\b/i, 'leave it out'],
  [/\bin order to\b/i, '"to"'],
  [/\b(?:blazing(?:ly)?|lightning)[- ]fast\b/i, 'a figure with its baseline'],
  [/\b(?:seamless(?:ly)?|effortless(?:ly)?|cutting[- ]edge|state[- ]of[- ]the[- ]art)\b/i, 'leave it out'],
  [/\boops\b|\bwhoops\b|\bsorry\b/i, 'what went wrong and what to change'],
  [/\bsimply\b/i, 'leave it out'],
];

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownBelow('docs')];
const SOURCES = ['src/http', 'src/cli', 'src/contract', 'src/app', 'src/billing'].flatMap(sourcesBelow);

function markdownBelow(folder: string): string[] {
  return filesBelow(folder).filter((file) => file.endsWith('.md') && !file.endsWith('voice.md'));
}

function sourcesBelow(folder: string): string[] {
  return filesBelow(folder).filter((file) => /(?<!\.test)\.(?:ts|js)$/.test(file));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
}

function offences(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) =>
    BANNED.filter(([phrase]) => phrase.test(line)).map(
      ([phrase, instead]) => `${file}:${at + 1} ${phrase.exec(line)?.[0]}: write ${instead}`,
    ),
  );
}

test('documents, pages, errors and commands avoid the phrases that docs/voice.md rules out', () => {
  assert.ok(DOCUMENTS.length > 40 && SOURCES.length > 200);
  assert.deepEqual([...DOCUMENTS, ...SOURCES].flatMap(offences), []);
});

test('a phrase of the list is found', () => {
  assert.deepEqual(
    BANNED.filter(([phrase]) => phrase.test('Simply press the button, which bears on the price')).length,
    2,
  );
});
