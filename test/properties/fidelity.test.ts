import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageFidelity } from './page-fidelity.ts';

/** Every page that the golden cases are made of, and thousands of broken ones made from them. */
const GOLDEN = join(import.meta.dirname, '../pages/golden');
const URL = 'https://www.example.org/docs/page';
const MUTANTS = 5_000;

const pages = readdirSync(GOLDEN, { recursive: true, encoding: 'utf8' })
  .map((path) => join(GOLDEN, path))
  .filter((path) => path.endsWith('input.html') && existsSync(path))
  .sort()
  .map((path) => ({ name: path.slice(GOLDEN.length), html: readFileSync(path, 'utf8') }));

test('every table, code block and player of the golden pages is complete', () => {
  assert.ok(pages.length >= 150, `${pages.length} pages`);
  for (const { name, html } of pages) {
    const { cells, embeds, faults } = pageFidelity(html, URL);
    assert.deepEqual(
      { name, cells: cells.found, embeds: embeds.found, faults },
      { name, cells: cells.wanted, embeds: embeds.wanted, faults: [] },
    );
  }
});

test('broken pages give closed fences and rectangular tables, the same twice', () => {
  const random = randomNumbers(14);
  for (let mutant = 0; mutant < MUTANTS; mutant += 1) {
    const one = pages[random(pages.length)]?.html ?? '';
    const other = pages[random(pages.length)]?.html ?? '';
    const html = mutated(one, other, random);
    const { faults, markdown } = pageFidelity(html, URL);
    assert.deepEqual(faults, [], html);
    assert.equal(pageFidelity(html, URL).markdown, markdown, html);
  }
});

/** Cuts out, repeats or mixes in pieces, at places where markup begins as often as anywhere. */
function mutated(one: string, other: string, random: (below: number) => number): string {
  let html = one;
  for (let times = random(4) + 1; times > 0; times -= 1) {
    const from = placeIn(html, random);
    const to = Math.min(html.length, from + random(80));
    const start = placeIn(other, random);
    const piece = other.slice(start, start + random(120));
    const kinds = [
      () => html.slice(0, from) + html.slice(to),
      () => html.slice(0, to) + html.slice(from),
      () => html.slice(0, from) + piece + html.slice(from),
      () => html.slice(0, from),
    ];
    html = kinds[random(kinds.length)]?.() ?? html;
  }
  return html;
}

function placeIn(html: string, random: (below: number) => number): number {
  const at = random(html.length + 1);
  const tag = html.indexOf('<', at);
  return random(2) === 0 && tag !== -1 ? tag : at;
}

/** Numbers that look random and are the same in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
