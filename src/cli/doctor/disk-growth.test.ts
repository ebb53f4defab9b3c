import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiskSample, judgeDisk } from './disk-growth.ts';

const DAY = 86_400_000;
const verdict = (free: number, bytes: number, samples: DiskSample[]) =>
  judgeDisk({ free, sample: { at: 100 * DAY, bytes }, samples });

test('growth is unknown until a day has passed, then forecast from the oldest sample of 30 days', () => {
  assert.match(verdict(50e9, 2e9, []).text, /^50\.0 GB free, 2\.0 GB used .*; growth is known a day after/);
  assert.match(verdict(50e9, 2e9, [{ at: 99.5 * DAY, bytes: 1 }]).text, /growth is known/);
  const samples = [
    { at: 10 * DAY, bytes: 0 },
    { at: 90 * DAY, bytes: 1e9 },
    { at: 99 * DAY, bytes: 2e9 },
  ];
  assert.deepEqual(verdict(50e9, 2e9, samples), {
    mark: 'ok',
    text: '50.0 GB free, 2.0 GB used by the data folder, growing by 100.0 MB a day: enough for 500 days',
  });
});

test('a disk that fills within 30 days, or is nearly full, is a warning', () => {
  const soon = verdict(2e9, 2e9, [{ at: 90 * DAY, bytes: 1e9 }]);
  assert.equal(soon.mark, 'warning');
  assert.match(soon.text, /growing by 100\.0 MB a day: full in 20 days; set DATA_DIR/);
  assert.equal(verdict(5e8, 2e9, []).mark, 'warning');
  assert.match(verdict(50e9, 1e9, [{ at: 90 * DAY, bytes: 2e9 }]).text, /not growing/);
});
