import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chunk } from '../chunk/chunk-markdown.ts';
import { readChunks } from './chunk-terms.ts';
import { RUNS_MAX } from './known-runs.ts';

const chunkOf = (markdown: string): Chunk => ({
  markdown,
  headingPath: ['Setting it up'],
  start: 0,
  end: markdown.length,
});

function read(text: string, language: string | null): object {
  const { terms, words, ids, sentences } = readChunks([chunkOf(text)], language);
  return { terms, words: words.map((word) => word.text), ids: [...ids], sentences: [...sentences] };
}

const TEXT =
  "Running `os.path.join` runs twice. XMLParser, don't; e-mail and C++ (1,000 times).\n\nलंबा वाक्य है। दूसरा 東京タワー。次の文 Größe";

for (const language of ['en', 'de', null, 'xx'])
  test(`a page reads the same, whatever the thread has read before: ${language}`, () => {
    const first = read(TEXT, language);
    assert.deepEqual(read(TEXT, language), first);
    const many = Array.from({ length: RUNS_MAX + 5_000 }, (_, number) => `w${number.toString(36)}x`).join(
      ' ',
    );
    // Has more runs than are remembered: the last ones are read each time.
    assert.deepEqual(read(`${many} ${TEXT}`, language), read(`${many} ${TEXT}`, language));
    assert.deepEqual(read(TEXT, language), first);
  });

test('a run without room has the terms that it has with room', () => {
  const words = Array.from({ length: RUNS_MAX }, (_, number) => `q${number.toString(36)}z`);
  const last = 'Walking walked Straße-Ecke nowhere_else';
  const alone = readChunks([chunkOf(last)], 'fr');
  const after = readChunks([chunkOf(`${words.join(' ')} ${last}`)], 'fr');
  const tail = [...after.ids].slice(-alone.ids.length).map((id) => after.terms[id]);
  assert.deepEqual(
    tail,
    [...alone.ids].map((id) => alone.terms[id]),
  );
});
