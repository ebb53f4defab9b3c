import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { type TestContext, test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { type AttackedService, startAttacked } from './attacked-service.ts';
import { createGenerator, createRandom, type FuzzRequest } from './http-generator.ts';

const REQUESTS = 10_000;
const BATCH = 40;
const CPU_MS_MAX = 2_000;
const HEALTH_MS_MAX = 150;
const SAMPLE_EVERY_MS = 15;
/** How long to wait for a response: to an incomplete request, and to a whole one, which fails the test. */
const UNFINISHED_MS = 25;
const ANSWER_MS_MAX = 30_000;

test('10,000 hostile requests: no 500, bounded CPU time, and /healthz stays fast', async (t) => {
  const seed = Number(process.env.ATTACK_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`ATTACK_SEED=${seed}`);
  const next = createGenerator(createRandom(seed));
  const service = await startAttacked(t, { TRUST_PROXY: '1', LOG_LEVEL: 'error' });
  const control = await startControl(t);
  const [health, baseline] = [sampleLatency(`${service.address}/healthz`), sampleLatency(control)];
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    const batch = Array.from({ length: BATCH }, next);
    const cpuBefore = service.cpuMs();
    await Promise.all(batch.map((request) => sendOne(service, request)));
    const cpu = service.cpuMs() - cpuBefore;
    assert.ok(cpu <= CPU_MS_MAX, `requests ${sent} to ${sent + BATCH} of seed ${seed} took ${cpu} ms of CPU`);
  }
  const [healthP99, baselineP99] = [p99(await health.end()), p99(await baseline.end())];
  t.diagnostic(`healthz p99 ${healthP99.toFixed(1)} ms, an idle server's ${baselineP99.toFixed(1)} ms`);
  // The latency of an idle server shows how much of the wait is due to the machine.
  assert.ok(
    healthP99 <= HEALTH_MS_MAX + 2 * baselineP99,
    `healthz p99 ${healthP99} ms, idle ${baselineP99} ms`,
  );
  assert.deepEqual(service.log, [], `seed ${seed}`);
  await service.assertUnharmed();
});

/** Sends one request on a new connection and asserts that the response is no 500. */
async function sendOne({ port }: AttackedService, { bytes, isWhole }: FuzzRequest): Promise<void> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('error', () => {});
  socket.on('data', (text: string) => {
    if (answer.length < 2_000) answer += text;
  });
  const closed = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')));
  socket.write(bytes);
  const ended = await Promise.race([
    closed,
    later(isWhole ? ANSWER_MS_MAX : UNFINISHED_MS, 'open' as const, { ref: false }),
  ]);
  socket.destroy();
  const shown = (): string => `${bytes.subarray(0, 600).toString('latin1')}\n---\n${answer}`;
  assert.ok(!isWhole || ended === 'closed', `no complete response to\n${shown()}`);
  assert.doesNotMatch(answer, /^HTTP\/1\.1 500/m, shown());
  if (isWhole) assert.match(answer, /^HTTP\/1\.1 \d{3} /, shown());
}

/** Starts an idle server for comparison. */
async function startControl(t: TestContext): Promise<string> {
  const script = `const server = require('node:http').createServer((_, response) => response.end('ok'));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [port] = await once(child.stdout, 'data');
  return `http://127.0.0.1:${String(port).trim()}/`;
}

/** Measures the latency of calls in sequence until `end` is called. */
function sampleLatency(url: string): { end(): Promise<number[]> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const samples: number[] = [];
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      const began = performance.now();
      const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      assert.equal(response.statusCode, 200);
      samples.push(performance.now() - began);
      await later(SAMPLE_EVERY_MS);
    }
  })();
  sampling.catch(() => {});
  return {
    async end() {
      isOver = true;
      await sampling;
      agent.destroy();
      return samples;
    },
  };
}

function p99(samples: number[]): number {
  return samples.toSorted((left, right) => left - right)[Math.floor(samples.length * 0.99)] ?? 0;
}
