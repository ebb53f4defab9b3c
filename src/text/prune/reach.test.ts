import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { extendHighlights } from './reach.ts';

const sentence = 'The keeper trims the wick before dusk. ';
const entry = (name: string, sentences: number): string =>
  `#### ${name}\n\n${sentence.repeat(sentences).trim()}`;

const scoredOf = (markdown: string): ScoredChunk[] =>
  chunkMarkdown(markdown).map((chunk, place) => ({ ...chunk, score: 1 / (1 + place) }));

describe('extendHighlights', () => {
  const page = ['Lamp', 'Glass', 'Chain', 'Oil'].map((name) => entry(name, 9)).join('\n\n');
  const chunks = scoredOf(page);

  test('a short section goes on into the next, as on the page', () => {
    const [first] = chunks;
    assert.ok(first !== undefined && first.markdown.length < 400);
    const [shown] = extendHighlights(page, { chunks, chosen: [first] }, null);
    assert.ok(shown !== undefined && shown.markdown.length >= 400 && shown.markdown.length <= 700);
    assert.equal(page.slice(shown.start, shown.end).trim(), shown.markdown);
    assert.match(shown.markdown, /^#### Lamp/);
  });

  test('a part of a section grows towards the neighbour that says more about the query', () => {
    const long = `# Lamp\n\n${[10, 11, 10].map((sentences) => sentence.repeat(sentences).trim()).join('\n\n')}`;
    const all = chunkMarkdown(long, { charsMin: 400, charsMax: 480 });
    assert.equal(all.length, 3);
    for (const [side, scores] of [
      [1, [0.1, 0.9, 0.5]],
      [-1, [0.5, 0.9, 0.1]],
    ] as const) {
      const scored = all.map((chunk, place) => ({ ...chunk, score: scores[place] ?? 0 }));
      const [, middle] = scored;
      assert.ok(middle !== undefined);
      const [shown] = extendHighlights(long, { chunks: scored, chosen: [middle] }, null);
      assert.ok(side === 1 ? (shown?.end ?? 0) > middle.end : (shown?.start ?? 0) < middle.start);
    }
  });

  test('an entry of a list goes on with what follows, not back into the entry before', () => {
    const item = (name: string, sentences: number): string =>
      `- **${name}**: ${sentence.repeat(sentences).trim()}`;
    const list = `# Lamps\n\n${[16, 12, 16].map((sentences, place) => item(`lamp_${place}`, sentences)).join('\n')}`;
    const all = scoredOf(list);
    const chosen = all.find(({ markdown }) => markdown.startsWith('- **lamp_1**'));
    assert.ok(chosen !== undefined && chosen.markdown.length < 640);
    const [shown] = extendHighlights(list, { chunks: all, chosen: [chosen] }, null);
    assert.equal(shown?.start, chosen.start);
  });

  test('the best goes on into its section, also where that is chosen after it', () => {
    const long = `# Lamp\n\n${[10, 11].map((sentences) => sentence.repeat(sentences).trim()).join('\n\n')}`;
    const [first, second] = chunkMarkdown(long, { charsMin: 400, charsMax: 480 }).map((chunk, place) => ({
      ...chunk,
      score: 1 / (1 + place),
    }));
    assert.ok(first !== undefined && second !== undefined && first.markdown.length < 480);
    const shown = extendHighlights(long, { chunks: [first, second], chosen: [first, second] }, null);
    assert.ok((shown[0]?.end ?? 0) > first.end);
    assert.equal(shown[1]?.end, second.end);
  });

  test('what refers to the text before it goes back first, whichever neighbour says more', () => {
    const parts = [
      `# Lamp\n\n${sentence.repeat(11).trim()}`,
      `In the above example the wick is trimmed. ${sentence.repeat(10).trim()}`,
      sentence.repeat(11).trim(),
    ];
    const long = parts.join('\n\n');
    const all = parts.map((markdown, place) => {
      const start = place === 0 ? 0 : long.indexOf(markdown, parts[0]?.length);
      return { markdown, headingPath: ['Lamp'], start, end: start + markdown.length + 2, score: place / 2 };
    });
    const [, chosen] = all;
    assert.ok(chosen !== undefined);
    const [shown] = extendHighlights(long, { chunks: all, chosen: [chosen] }, null);
    assert.ok((shown?.start ?? chosen.start) < chosen.start);
  });

  test('a neighbour that does not fit is cut where at least half of the room is filled', () => {
    const lines = Array.from({ length: 4 }, (_, place) => `- ${place} ${sentence.trim()}`).join('\n');
    const text = sentence.repeat(11).trim();
    const parts = [`## Glass\n\n${sentence.repeat(5).trim()}`, `${lines}\n\n${text}\n\n${text}`];
    const long = parts.join('\n\n');
    const all = parts.map((markdown, place) => {
      const start = place === 0 ? 0 : (parts[0]?.length ?? 0) + 2;
      return { markdown, headingPath: ['Glass'], start, end: start + markdown.length, score: 1 - place / 2 };
    });
    const [chosen] = all;
    assert.ok(chosen !== undefined);
    const [shown] = extendHighlights(long, { chunks: all, chosen: [chosen] }, null);
    const room = 700 - chosen.markdown.length;
    assert.ok(
      (shown?.markdown.length ?? 0) >= chosen.markdown.length + room / 2,
      `${shown?.markdown.length}`,
    );
  });

  test('what reaches back into a part of its section keeps the headings above it', () => {
    const long = `# Lamp\n\n## Wick\n\n${[14, 14, 14].map((sentences) => sentence.repeat(sentences).trim()).join('\n\n')}`;
    const all = chunkMarkdown(long, { charsMin: 400, charsMax: 580 });
    const scored = all.map((chunk, place) => ({ ...chunk, score: 1 / (1 + place) }));
    const last = scored.at(-1);
    assert.ok(last !== undefined);
    const [shown] = extendHighlights(long, { chunks: scored, chosen: [last] }, null);
    assert.ok((shown?.start ?? 0) < last.start, 'reaches back');
    assert.deepEqual(shown?.headingPath, ['Lamp', 'Wick']);
  });

  test('each has 400 characters, even where its neighbours are shown too; nothing else is shown twice', () => {
    const shown = extendHighlights(page, { chunks, chosen: chunks }, null);
    for (const { markdown } of shown) assert.ok(markdown.length >= 400 && markdown.length <= 700);
    const long = scoredOf(['Lamp', 'Glass', 'Chain'].map((name) => entry(name, 14)).join('\n\n'));
    assert.deepEqual(
      extendHighlights(page, { chunks: long, chosen: long }, null).map(({ markdown }) => markdown),
      long.map(({ markdown }) => markdown),
    );
  });

  test('together they stay within the bound', () => {
    const chosen = chunks.slice(0, 1);
    const bound = (chosen[0]?.markdown.length ?? 0) + 20;
    const [shown] = extendHighlights(page, { chunks, chosen }, bound);
    assert.ok((shown?.markdown.length ?? 0) <= bound);
  });

  test('next to no room for the neighbour is an end, not a search without one', () => {
    const code = `\`\`\`sh\n${'trim --wick 3\n'.repeat(30)}\`\`\``;
    const text = `${entry('Lamp', 12)}\n\n${code}\n\n${entry('Oil', 12)}`;
    const all = scoredOf(text);
    for (const [at, chunk] of all.entries())
      for (let more = 0; more < 120; more += 1) {
        const bound = chunk.markdown.length + more;
        const [shown] = extendHighlights(text, { chunks: all, chosen: [all[at] ?? chunk] }, bound);
        assert.ok((shown?.markdown.length ?? 0) <= bound);
      }
  });

  test('code is never cut open', () => {
    const code = `\`\`\`sh\n${'trim --wick 3\n'.repeat(60)}\`\`\``;
    const coded = `${entry('Lamp', 7)}\n\n${code}\n\n${entry('Oil', 7)}`;
    const all = scoredOf(coded);
    for (const chunk of all) {
      const [shown] = extendHighlights(coded, { chunks: all, chosen: [chunk] }, null);
      assert.equal((shown?.markdown.match(/```/g)?.length ?? 0) % 2, 0);
      assert.ok((shown?.markdown.length ?? 0) <= 700);
    }
  });
});
