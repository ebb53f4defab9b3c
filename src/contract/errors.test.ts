import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from './errors.ts';

test('only a refusal that comes in floods has no stack', () => {
  const limit = Error.stackTraceLimit;
  assert.doesNotMatch(new Failure('insufficient_credits', 'No credits.').stack ?? '', /\n/);
  assert.match(new Failure('fetch_failed', 'No page.').stack ?? '', /errors\.test\.ts/);
  assert.equal(Error.stackTraceLimit, limit);
});
