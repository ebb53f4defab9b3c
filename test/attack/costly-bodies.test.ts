import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAttacked } from './attacked-service.ts';

const ROUNDS = 10;
const BODY_BYTES = 1_000_000;
/** Average CPU time of all threads for one body: reading it from the socket, parsing, garbage collection. */
const CPU_MS_EACH = 60;

const full = (part: string): string => part.repeat(Math.floor(BODY_BYTES / part.length));
const names = Array.from({ length: 70_000 }, (_, place) => `"k_${place}":1`).join(',');

const BODIES: Record<string, string> = {
  'many names': `{"query":"q",${names}}`,
  'deep arrays': `{"query":"q","a":${full('[')}`,
  'deep objects': full('{"a":'),
  'empty arrays': `{"query":"q","a":[${full('[],')}[]]}`,
  'one long name': `{"query":"q","${full('a_')}":1}`,
  escapes: `{"query":"${full('\\u00e9')}"}`,
  'form fields': full('a&'),
};
const PATHS = ['/v1/search', '/v1/contents', '/shapeB/crawl', '/mcp', '/account'];

test('bodies made to be costly cost little on every route', async (t) => {
  const service = await startAttacked(t, { LOG_LEVEL: 'warn' });
  const send = async (path: string, body: string): Promise<void> => {
    const response = await fetch(service.address + path, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(30_000),
    });
    await response.text();
    assert.ok(response.status < 500, `${path} ${response.status}`);
  };
  // Warms up the compiler.
  for (const path of PATHS) for (const body of Object.values(BODIES)) await send(path, body);
  for (const path of PATHS)
    for (const [name, body] of Object.entries(BODIES)) {
      const before = service.cpuMs();
      for (let round = 0; round < ROUNDS; round += 1) await send(path, body);
      const each = (service.cpuMs() - before) / ROUNDS;
      assert.ok(each <= CPU_MS_EACH, `${name} to ${path}: ${each} ms of CPU`);
    }
  await service.assertUnharmed();
});
