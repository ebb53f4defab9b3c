import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAttacked } from './attacked-service.ts';

test('a service that is not attacked answers, and exits on SIGTERM', async (t) => {
  const service = await startAttacked(t);
  await service.assertUnharmed();
  assert.ok(service.cpuMs() > 0);
  assert.deepEqual(await service.end(), [0, null]);
});
