import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { listClients, PACKAGES, readFigures } from './project-facts.ts';

const QUALITY = readFileSync(new URL('../../../../docs/quality.md', import.meta.url), 'utf8');

describe('the figures of the start page', () => {
  test('are those of docs/quality.md', () => {
    const figures = readFigures(QUALITY);
    assert.equal(figures.length, 4);
    for (const { what, ours, baseline, most, digits } of figures) {
      assert.ok(ours > 0 && ours <= most && baseline > 0 && baseline <= most, what);
      for (const value of [ours, baseline])
        assert.ok(QUALITY.includes(value.toFixed(digits).replace(/^0/, '')), `${what}: ${value}`);
    }
  });

  test('follow the document', () => {
    const [first] = readFigures(
      QUALITY.replace(/(PostgreSQL manual \| MRR@10, % \|) [\d.]+ \| [\d.]+/, '$1 61.2 | 33.3'),
    );
    assert.deepEqual([first?.ours, first?.baseline], [61.2, 33.3]);
  });

  test('a figure that is no longer there is not made up', () => {
    assert.throws(
      () => readFigures(QUALITY.replace('| First passage, 2,910', '| First passage, 2,911')),
      /no row "First passage, 2,910/,
    );
    assert.throws(() => readFigures(QUALITY.replace('| ours |', '| theirs |')), /with ours and baseline/);
    assert.throws(
      () => readFigures(QUALITY.replace(/(PostgreSQL manual \| MRR@10, % \|) [\d.]+/, '$1 -')),
      /no number/,
    );
  });
});

const textOf = (path: string): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

test('every application of docs/integrations.md is named and linked', () => {
  const named = listClients(textOf('docs/integrations.md')).filter(({ href }) => href !== null);
  assert.ok(named.length >= 12);
  assert.deepEqual(named[0], { name: 'Open WebUI', href: '/docs/integrations/open-webui' });
  for (const { href } of named) textOf(`docs/integrations/${href?.split('/').at(-1)}.md`);
});

test('every package that is named runs in the tests of the clients', () => {
  const ofNpm = Object.keys(JSON.parse(textOf('test/clients/package.json')).dependencies);
  const ofPython = textOf('test/clients/python/current.in').split('\n');
  for (const name of PACKAGES) assert.ok([...ofNpm, ...ofPython].includes(name), name);
});
