import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('the stamp of a bundle changes with its sources, but not with their tests', async (t) => {
  const stamping = (await import('../bin/build-stamp.js' as string)) as { stampOf(folder: string): string };
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-stamp-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, seconds: number): string => {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), seconds, seconds);
    return stamping.stampOf(folder);
  };
  mkdirSync(join(folder, 'below'));
  const first = write('one.ts', 100);
  assert.equal(write('one.test.ts', 900), first);
  const more = write('below/two.ts', 50);
  const changed = write('below/two.ts', 200);
  assert.equal(new Set([first, more, changed]).size, 3);
});
