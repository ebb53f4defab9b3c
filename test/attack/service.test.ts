import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAttacked } from './attacked-service.ts';

test('a service that nobody attacks answers and ends by itself', async (t) => {
  const service = await startAttacked(t);
  await service.assertUnharmed();
  assert.ok(service.cpuMs() > 0);
  assert.deepEqual(await service.end(), [0, null]);
});
