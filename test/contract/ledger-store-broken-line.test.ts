import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { Failure } from '../../src/contract/errors.ts';
import { type BrokenLine, createBrokenLine } from '../fixtures/broken-line.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

/** As many as the longest of these calls waits for. */
const REPLIES_MAX = 7;

const database = await createTestDatabase();

describe('a PostgreSQL at the end of a line that breaks', {
  skip: database === null ? noServer : false,
}, () => {
  let line: BrokenLine;
  let billing: OpenBilling;
  let keyId: string;
  let requests = 0;
  before(async () => {
    const url = new URL(database?.url ?? '');
    line = await createBrokenLine({ host: url.hostname, port: Number(url.port || 5_432) });
    url.hostname = '127.0.0.1';
    url.port = String(line.port);
    billing = await openBilling(url.href);
    keyId = (await billing.keys.create({ credits: 1_000, label: null })).keyId;
  });
  after(async () => {
    await billing.close();
    await line.close();
    await database?.drop();
  });

  const beginCharge = () => billing.meter.beginCharge({ kind: 'key', keyId }, `request ${++requests}`);
  const available = () => again(() => billing.ledger.available(keyId));

  test('a settlement whose reply is lost has been charged once, and says so', async () => {
    const charge = await beginCharge();
    await charge.hold({ credits: 3, ms: 0 });
    line.loseReplyAfter(0);
    await charge.settle(2);
    assert.equal(await charge.remaining(), 998);
    assert.equal(await available(), 998);
  });

  test('a hold whose reply is lost fails the call, and is given back', async () => {
    const before = await available();
    const charge = await beginCharge();
    line.loseReplyAfter(0);
    await assert.rejects(charge.hold({ credits: 3, ms: 0 }), isOverloaded);
    await charge.refund();
    assert.equal(await available(), before);
  });

  for (let replies = 0; replies < REPLIES_MAX; replies += 1) {
    test(`a grant that loses its reply number ${replies + 1} counts once when it is asked for again`, async () => {
      const before = await available();
      const grant = () => billing.keys.grant({ keyId, credits: 5, ref: `grant ${replies}` });
      line.loseReplyAfter(replies);
      await grant().catch(() => {});
      line.loseReplyAfter(Number.POSITIVE_INFINITY);
      assert.match((await again(grant)).kind, /^granted/);
      assert.equal(await available(), before + 5);
    });

    test(`giving back what was charged, with reply number ${replies + 1} lost, counts once`, async () => {
      const before = await available();
      const charge = await beginCharge();
      await charge.hold({ credits: 3, ms: 0 });
      await charge.settle(3);
      line.loseReplyAfter(replies);
      await charge.refund();
      line.loseReplyAfter(Number.POSITIVE_INFINITY);
      assert.equal(await available(), before);
    });
  }

  test('while the server is gone calls fail at once; when it is back they do not', async () => {
    await line.cut();
    await assert.rejects((await beginCharge()).hold({ credits: 1, ms: 0 }), isOverloaded);
    await assert.rejects(
      billing.meter.beginCharge({ kind: 'keyless', address: '203.0.113.9' }, 'gone'),
      isOverloaded,
    );
    await line.mend();
    const charge = await beginCharge();
    await charge.hold({ credits: 1, ms: 0 });
    await charge.settle(1);
    assert.deepEqual(await again(createAudit(billing)), []);
  });
});

function isOverloaded(error: unknown): boolean {
  return error instanceof Failure && error.code === 'overloaded';
}

/** A connection that was lost may be noticed only by the one who uses it next. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries > REPLIES_MAX) throw error;
    }
  }
}
