import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  balance,
  boughtKey,
  boughtKeyAndId,
  configure,
  describeReloads,
  fixture,
} from '../../flows/payments/reload-fixture.ts';
import { connect, textOf } from '../../mcp/connect.ts';

await describeReloads(() => {
  describe('POST /v1/billing/auto-reload', () => {
    const bad: [body: object, field: string][] = [
      [{}, 'enabled'],
      [{ enabled: 'yes' }, 'enabled'],
      [{ enabled: true, threshold: 99 }, 'threshold'],
      [{ enabled: true, threshold: 100_001 }, 'threshold'],
      [{ enabled: true, threshold: 100.5 }, 'threshold'],
      [{ enabled: true, pack: 'huge' }, 'pack'],
      [{ enabled: true, monthly_max_usd: 500.01 }, 'monthly_max_usd'],
      [{ enabled: true, monthlyMaxUsd: 0 }, 'monthlyMaxUsd'],
      [{ enabled: true, monthly_max_usd: -1 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: 0.001 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: 0.99 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: 20.005 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: 500.001 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: '20' }, 'monthly_max_usd'],
    ];
    for (const [body, field] of bad) {
      test(`422: ${JSON.stringify(body)}`, async () => {
        const { status, json } = await configure(await boughtKey({}), body);
        assert.deepEqual([status, json.error, json.details[0].field], [422, 'validation_error', field]);
      });
    }

    for (const threshold of [100, 100_000])
      test(`200: a threshold of ${threshold}, and what is not named stays`, async () => {
        const key = await boughtKey({ reloadPack: 'scale', capUsd: 200 });
        const { json } = await configure(key, { enabled: true, threshold });
        const { pack, monthly_max_usd } = json.auto_reload;
        assert.deepEqual([json.auto_reload.threshold, pack, monthly_max_usd], [threshold, 'scale', 200]);
      });

    for (const usd of [1, 15, 19.99, 0.1 + 1.1, 500])
      test(`200: a cap of ${usd} USD`, async () => {
        const { status, json } = await configure(await boughtKey({}), {
          enabled: true,
          monthly_max_usd: usd,
        });
        assert.equal(status, 200);
        assert.equal(json.auto_reload.monthly_max_usd, Math.round(usd * 100) / 100);
      });

    test('422: a cap above what the owner set; the message says where to raise it', async () => {
      const key = await boughtKey({ capUsd: 60 });
      const { status, json } = await configure(key, {
        enabled: true,
        threshold: 700,
        monthly_max_usd: 60.01,
      });
      assert.deepEqual([status, json.details[0].field], [422, 'monthly_max_usd']);
      assert.match(json.message, /at most 60,/);
      assert.ok(json.message.includes(`${fixture.served.address}/account`), json.message);
      const { threshold, monthly_max_usd } = (await balance(key)).auto_reload;
      assert.deepEqual([threshold, monthly_max_usd], [1_000, 60]);
    });

    test('200: a cap that the interface lowered goes back up to what the owner set, and no further', async () => {
      const key = await boughtKey({ capUsd: 60 });
      for (const [usd, status] of [
        [20, 200],
        [60, 200],
        [61, 422],
      ])
        assert.equal((await configure(key, { enabled: true, monthly_max_usd: usd })).status, status);
    });

    test('an owner sets 2,000 USD on the page after the payment: the interface goes up to 500', async () => {
      const { key, keyId } = await boughtKeyAndId({ capUsd: 60 });
      await fixture.billing.autoReloads.configure(
        keyId,
        { enabled: true, capCents: 200_000 },
        { by: 'owner' },
      );
      const cap = async (): Promise<number> => (await balance(key)).auto_reload.monthly_max_usd;
      await configure(key, { enabled: true, threshold: 200 });
      assert.equal(await cap(), 2_000);
      assert.equal((await configure(key, { enabled: true, monthly_max_usd: 501 })).status, 422);
      assert.equal((await configure(key, { enabled: true, monthly_max_usd: 500 })).status, 200);
      assert.equal(await cap(), 500);
    });

    test('422: a tool gets the same', async () => {
      const client = await connect(fixture.served.address, { headers: await boughtKey({ capUsd: 60 }) });
      const text = textOf(
        await client.callTool({
          name: 'service_auto_reload',
          arguments: { enabled: true, monthly_max_usd: 100 },
        }),
      );
      await client.close();
      assert.match(text, /^validation_error: monthly_max_usd must be at most 60, .*\/account/);
    });

    test('401: no key, an unknown one, one in the body', async () => {
      const { apiKey } = await fixture.billing.keys.create({ credits: 5, label: null });
      for (const [headers, body] of [
        [{}, { enabled: false }],
        [{ 'x-api-key': 'sdl_nobody' }, { enabled: false }],
        [{}, { enabled: false, api_key: apiKey }],
      ] as const)
        assert.equal((await configure(headers, body)).status, 401);
    });
  });
});
