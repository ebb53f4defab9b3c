import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPayments, checkProxy, judgeWebhook } from './doctor.ts';
import { checkRendering, judgeClock, type Probe } from './probes.ts';

const answered = (skewMs: number | null, status = 200): Probe => ({ ok: true, status, skewMs });
const silent: Probe = { ok: false, why: 'it timed out' };
const MINUTE = 60_000;

test('the clock is compared with the median of those that answered', () => {
  assert.equal(judgeClock([silent, answered(null)]).mark, 'off');
  assert.equal(judgeClock([answered(1_000), answered(-900), answered(3_600_000)]).mark, 'ok');
  assert.match(judgeClock([answered(90_000)]).text, /^90 s behind other servers/);
  assert.match(judgeClock([answered(-90_000), silent]).text, /^90 s ahead of other servers/);
});

test('webhooks are told from polling by how soon events are handled', () => {
  const event = (at: number, lateMs: number | null) => ({
    createdAt: at,
    handledAt: lateMs === null ? null : at + lateMs,
  });
  const now = 100 * MINUTE;
  assert.match(judgeWebhook('Stripe', [], now).text, /no event yet/);
  const soon = judgeWebhook('Stripe', [event(95 * MINUTE, 2_000), event(1, 400_000)], now);
  assert.deepEqual([soon.mark, /5 minutes old, and the webhook reaches/.test(soon.text)], ['ok', true]);
  const late = judgeWebhook('Stripe', [event(40 * MINUTE, 200_000), event(1, null)], now);
  assert.match(late.text, /the last 2 came late, by polling/);
  assert.equal(late.mark, 'warning');
});

test('payments fail when Stripe cannot be reached; a sandbox on a public address is a warning', async () => {
  const rest = { ledgerStore: {} as never, now: 0, provider: silent };
  const config = { metering: true, stripe: null, baseUrl: null };
  assert.equal((await checkPayments({ ...config, payments: 'stripe' }, rest)).mark, 'failure');
  assert.equal((await checkPayments({ ...config, payments: 'sandbox' }, rest)).mark, 'ok');
  const isPublic = { ...config, baseUrl: 'https://search.example.org', payments: 'sandbox' } as const;
  assert.equal((await checkPayments(isPublic, rest)).mark, 'warning');
  assert.match((await checkPayments({ ...config, payments: 'off' }, rest)).text, /\/buy answers 503/);
  assert.match(
    (await checkPayments({ ...config, metering: false, payments: 'off' }, rest)).text,
    /METERING is off/,
  );
});

test('the proxy: settings that contradict each other, and a public address that does not lead here', async () => {
  const host = '127.0.0.1';
  const baseUrl = 'https://search.example.org';
  const asks = (probe: Probe, isRunning = true) => ({ isRunning, ask: async () => probe });
  const check = async (config: { baseUrl: string | null; trustProxy: number }, probe = answered(0)) =>
    (await checkProxy({ host, ...config }, asks(probe))).text;
  assert.match(await check({ baseUrl: null, trustProxy: 0 }), /^none/);
  assert.match(await check({ baseUrl: null, trustProxy: 1 }), /BASE_URL is not set/);
  assert.match(await check({ baseUrl, trustProxy: 0 }), /all callers share one allowance/);
  assert.match(await check({ baseUrl, trustProxy: 1 }), /answers, TRUST_PROXY 1/);
  assert.match(await check({ baseUrl, trustProxy: 1 }, silent), /cannot be reached from here: it timed out/);
  assert.match(await check({ baseUrl, trustProxy: 1 }, answered(0, 502)), /healthz answers 502/);
  const direct = { host: '0.0.0.0', baseUrl: 'http://search.example.org', trustProxy: 1 };
  assert.match((await checkProxy(direct, asks(answered(0)))).text, /callers choose their own address/);
  const idle = await checkProxy({ host, baseUrl, trustProxy: 1 }, asks(silent, false));
  assert.match(idle.text, /no server runs here/);
});

test('rendering is off, or answers, or is a failure that says what to do', async () => {
  assert.equal((await checkRendering({ rendering: null, dnsServers: [] })).mark, 'off');
  const rendering = { url: 'http://127.0.0.1:9', token: '0123456789abcdef' };
  const { mark, text } = await checkRendering({ rendering, dnsServers: [] });
  assert.equal(mark, 'failure');
  assert.match(text, /sanderling render/);
});
