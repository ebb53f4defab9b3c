import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { capacityOf, capacityTable, diskOf, type Measured } from './capacity.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');
const measured = JSON.parse(read('measured.json')) as Measured;

test('36 ms of CPU a request: 100,000 requests take a core-hour, and more of it where a core rests', () => {
  const one = { ...measured, kinds: [{ name: 'k', cpuMs: 36 }], mix: { k: 1 } };
  const assumed = { usdPerCoreHour: 0.5, usdPerGigabyteMonth: 1, busyShare: 0.5 };
  const [row] = capacityOf({ ...one, assumed });
  assert.equal(row?.usdPerMillion, 10);
  assert.equal(Math.round(row?.perCoreSecond ?? 0), 14);
});

test('a mix must add up, and name what was measured', () => {
  assert.throws(() => capacityOf({ ...measured, mix: { 'new search': 0.5 } }), /add up to 0.5/);
  assert.throws(() => capacityOf({ ...measured, mix: { dreams: 1 } }), /dreams/);
});

test('disk grows with pages and copies', () => {
  const assumed = { ...measured.assumed, usdPerGigabyteMonth: 0.1 };
  const { gigabytes, usdPerMonth } = diskOf(1_000_000, 2, { ...measured, indexBytesPerPage: 5_000, assumed });
  assert.equal(gigabytes, 10);
  assert.equal(usdPerMonth, 1);
});

test('docs/scale.md shows the table of these figures', () => {
  assert.ok(
    read('../../docs/scale.md').includes(capacityTable(capacityOf(measured))),
    'run npm run bench:scale and copy its table into docs/scale.md',
  );
});
