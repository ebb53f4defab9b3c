import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { CardGone, PaymentMisuse } from '../../src/billing/payments/providers/payment-provider.ts';
import type { CardBehaviour } from '../fixtures/stripe/objects.ts';
import { keptCard, newReference, type Staged, wantedCheckout } from './payment-providers.ts';

type Step = { do: 'confirm'; attempt: number } | { do: 'cancel' | 'prepare' | 'get' };

/**
 * What every payment provider promises. `open` stages one with a buyer; `declines` maps each behaviour of a card that it can
 * stage to the decline code that is expected.
 */
export function paymentProviderContract(
  name: string,
  open: () => Promise<Staged>,
  declines: Partial<Record<CardBehaviour, string>>,
): void {
  describe(name, () => {
    let staged: Staged;
    before(async () => {
      staged = await open();
    });
    after(() => staged.close());

    describe('a checkout', () => {
      test('opens once for a reference', async () => {
        const { provider } = staged;
        const wanted = wantedCheckout();
        const first = await provider.openCheckout(wanted);
        assert.match(first.url, /^https?:\/\//);
        assert.deepEqual(await provider.openCheckout(wanted), first);
        const atOnce = await Promise.all(
          [wanted, wanted, wanted].map((again) => provider.openCheckout(again)),
        );
        for (const again of atOnce) assert.equal(again.id, first.id);
        await assert.rejects(provider.openCheckout({ ...wanted, cents: 1_500 }), PaymentMisuse);
        assert.notEqual((await provider.openCheckout(wantedCheckout())).id, first.id);
      });

      test('is open until it is paid, and then names its charge', async () => {
        const { provider, pay } = staged;
        const wanted = wantedCheckout();
        const { id } = await provider.openCheckout(wanted);
        const open = await provider.getCheckout(id);
        const asked = { id, reference: wanted.reference, cents: 5_000, currency: 'usd' };
        const nothing = { charge: null, customer: null, card: null, paidBy: null };
        assert.deepEqual(open, { ...asked, state: 'open', ...nothing });
        await pay(id);
        const paid = await provider.getCheckout(id);
        assert.deepEqual(paid, { ...open, state: 'paid', charge: paid.charge, paidBy: paid.paidBy });
        assert.equal(paid.paidBy?.last4, '4242');
        const receipt = await provider.receiptOf(paid.charge ?? '');
        assert.ok(receipt === null ? provider.name === 'sandbox' : URL.canParse(receipt));
        const charge = await provider.getCharge(paid.charge ?? '');
        assert.deepEqual(charge, {
          id: paid.charge,
          reference: wanted.reference,
          state: 'succeeded',
          declineCode: null,
          cents: 5_000,
          refundedCents: 0,
          lostCents: 0,
          dispute: 'none',
        });
        assert.equal((await staged.paid()).filter((one) => one === paid.charge).length, 1);
      });

      test('that is declined stays open and can be paid after all', async () => {
        const { provider, pay, beDeclined } = staged;
        const { id } = await provider.openCheckout(wantedCheckout({ saveCard: { terms: 'Terms.' } }));
        await beDeclined(id);
        const declined = await provider.getCheckout(id);
        assert.equal(declined.state, 'open');
        assert.equal(declined.card, null);
        await pay(id);
        const paid = await provider.getCheckout(id);
        assert.equal(paid.state, 'paid');
        assert.ok(paid.customer !== null && paid.card !== null);
      });

      test('is over after a day', async () => {
        const { provider, clock } = staged;
        const { id } = await provider.openCheckout(wantedCheckout());
        clock.advance(86_399_000);
        assert.equal((await provider.getCheckout(id)).state, 'open');
        clock.advance(1_000);
        assert.equal((await provider.getCheckout(id)).state, 'expired');
      });

      test('that nobody opened is not known', async () => {
        await assert.rejects(staged.provider.getCheckout('cs_nobody'), PaymentMisuse);
      });
    });

    describe('a charge of a kept card', () => {
      test('is prepared once for a reference, and moves no money by that', async () => {
        const { provider } = staged;
        const wanted = { reference: newReference('pur'), cents: 5_000, ...(await keptCard(staged)) };
        const charge = await provider.prepareCharge(wanted);
        assert.deepEqual(charge, {
          id: charge.id,
          reference: wanted.reference,
          state: 'prepared',
          declineCode: null,
          cents: 5_000,
          refundedCents: 0,
          lostCents: 0,
          dispute: 'none',
        });
        const atOnce = await Promise.all(
          [wanted, wanted, wanted].map((again) => provider.prepareCharge(again)),
        );
        for (const again of atOnce) assert.deepEqual(again, charge);
        assert.deepEqual(await provider.getCharge(charge.id), charge);
        await assert.rejects(provider.prepareCharge({ ...wanted, cents: 1_500 }), PaymentMisuse);
        assert.ok(!(await staged.paid()).includes(charge.id));
      });

      test('succeeds once, however often and by how many it is confirmed', async () => {
        const { provider } = staged;
        const wanted = { reference: newReference('pur'), cents: 5_000, ...(await keptCard(staged)) };
        const { id } = await provider.prepareCharge(wanted);
        const atOnce = await Promise.all(
          [1, 1, 2, 3, 4, 5].map((attempt) => provider.confirmCharge(id, attempt)),
        );
        for (const { state } of atOnce) assert.equal(state, 'succeeded');
        assert.equal((await provider.confirmCharge(id, 1)).state, 'succeeded');
        assert.equal((await provider.confirmCharge(id, 99)).state, 'succeeded');
        assert.equal((await staged.paid()).filter((one) => one === id).length, 1);
      });

      for (const [behaviour, code] of Object.entries(declines)) {
        test(`${behaviour} is declined with ${code}, stays so, and can be closed`, async () => {
          const { provider } = staged;
          // One of the names above.
          const kept = await keptCard(staged, behaviour as CardBehaviour);
          const { id } = await provider.prepareCharge({
            reference: newReference('pur'),
            cents: 5_000,
            ...kept,
          });
          for (const attempt of [1, 1, 2]) {
            const { state, declineCode } = await provider.confirmCharge(id, attempt);
            assert.deepEqual({ state, declineCode }, { state: 'declined', declineCode: code });
          }
          const closed = await provider.cancelCharge(id);
          assert.equal(closed.state, 'canceled');
          assert.equal(closed.declineCode, code, 'why is still known');
          assert.equal((await provider.confirmCharge(id, 3)).state, 'canceled');
          assert.ok(!(await staged.paid()).includes(id));
        });
      }

      test('that is canceled is never paid, and one that is paid is never canceled', async () => {
        const { provider } = staged;
        const kept = await keptCard(staged);
        const canceled = await provider.prepareCharge({
          reference: newReference('pur'),
          cents: 5_000,
          ...kept,
        });
        assert.equal((await provider.cancelCharge(canceled.id)).state, 'canceled');
        assert.equal((await provider.cancelCharge(canceled.id)).state, 'canceled');
        assert.equal((await provider.confirmCharge(canceled.id, 1)).state, 'canceled');
        const paid = await provider.prepareCharge({ reference: newReference('pur'), cents: 5_000, ...kept });
        await provider.confirmCharge(paid.id, 1);
        assert.equal((await provider.cancelCharge(paid.id)).state, 'succeeded');
      });

      test('that is confirmed and canceled at once is one or the other, for everybody', async () => {
        const { provider } = staged;
        const kept = await keptCard(staged);
        const ROUNDS = 10;
        for (let round = 0; round < ROUNDS; round++) {
          const wanted = { reference: newReference('pur'), cents: 5_000, ...kept };
          const { id } = await provider.prepareCharge(wanted);
          const answers = await Promise.all([
            provider.confirmCharge(id, 1),
            provider.cancelCharge(id),
            provider.confirmCharge(id, 2),
          ]);
          const { state } = await provider.getCharge(id);
          assert.ok(state === 'succeeded' || state === 'canceled');
          for (const answer of answers) assert.equal(answer.state, state);
        }
      });

      test('is found by its reference when its id was lost', async () => {
        const { provider, clock } = staged;
        const kept = await keptCard(staged);
        const [one, other] = [newReference('pur'), newReference('pur')];
        const since = clock.now();
        const charge = await provider.prepareCharge({ reference: one, cents: 5_000, ...kept });
        const { customer } = kept;
        assert.deepEqual(await provider.findCharge({ reference: one, customer, since }), charge);
        assert.equal(await provider.findCharge({ reference: other, customer, since }), null);
        const stranger = await keptCard(staged);
        assert.equal(await provider.findCharge({ reference: one, customer: stranger.customer, since }), null);
        const later = since + 86_400_000;
        assert.equal(await provider.findCharge({ reference: one, customer, since: later }), null);
      });

      test('needs a card that was not removed; removing it again changes nothing', async () => {
        const { provider } = staged;
        const kept = await keptCard(staged);
        await provider.removeCard(kept.card);
        await provider.removeCard(kept.card);
        const wanted = { reference: newReference('pur'), cents: 5_000, ...kept };
        await assert.rejects(provider.prepareCharge(wanted), CardGone);
      });

      test('needs a card of that customer', async () => {
        const { provider } = staged;
        const [own, strange] = [await keptCard(staged), await keptCard(staged)];
        const parts = { reference: newReference('pur'), cents: 5_000, customer: own.customer };
        await assert.rejects(provider.prepareCharge({ ...parts, card: strange.card }), CardGone);
        await assert.rejects(
          provider.prepareCharge({ ...parts, reference: newReference('pur'), card: 'pm_nobody' }),
          CardGone,
        );
      });

      test('that nobody prepared is not known', async () => {
        const { provider } = staged;
        await assert.rejects(provider.getCharge('pi_nobody'), PaymentMisuse);
        await assert.rejects(provider.confirmCharge('pi_nobody', 1), PaymentMisuse);
        await assert.rejects(provider.cancelCharge('pi_nobody'), PaymentMisuse);
      });

      test('any order of confirming and canceling ends in one state that stays', async () => {
        const { provider } = staged;
        const kept = { ok: await keptCard(staged), card_declined: await keptCard(staged, 'card_declined') };
        const step: fc.Arbitrary<Step> = fc.oneof(
          fc.record({ do: fc.constant('confirm' as const), attempt: fc.integer({ min: 1, max: 3 }) }),
          fc.record({ do: fc.constantFrom('cancel' as const, 'prepare' as const, 'get' as const) }),
        );
        const run = async (card: 'ok' | 'card_declined', steps: Step[]): Promise<void> => {
          const wanted = { reference: newReference('pur'), cents: 5_000, ...kept[card] };
          const { id } = await provider.prepareCharge(wanted);
          let expected = 'prepared';
          for (const one of steps) {
            if (one.do === 'confirm') {
              if (expected === 'prepared') expected = card === 'ok' ? 'succeeded' : 'declined';
              assert.equal((await provider.confirmCharge(id, one.attempt)).state, expected);
            } else if (one.do === 'cancel') {
              if (expected !== 'succeeded') expected = 'canceled';
              assert.equal((await provider.cancelCharge(id)).state, expected);
            } else if (one.do === 'prepare') assert.equal((await provider.prepareCharge(wanted)).id, id);
            assert.equal((await provider.getCharge(id)).state, expected);
          }
          const times = (await staged.paid()).filter((paid) => paid === id).length;
          assert.equal(times, expected === 'succeeded' ? 1 : 0);
        };
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom('ok' as const, 'card_declined' as const),
            fc.array(step, { maxLength: 6 }),
            run,
          ),
          { numRuns: 25 },
        );
      });
    });

    test('what changed is told to whoever asks later, newest first', async () => {
      const { provider, clock, pay } = staged;
      clock.advance(60_000);
      const since = clock.now();
      const { id } = await provider.openCheckout(wantedCheckout());
      await pay(id);
      clock.advance(2_000);
      const kept = await keptCard(staged);
      const charge = await provider.prepareCharge({ reference: newReference('pur'), cents: 5_000, ...kept });
      clock.advance(2_000);
      await provider.confirmCharge(charge.id, 1);
      const events = await provider.listEvents(since);
      const places = [charge.id, id].map((wanted) => events.findIndex(({ object }) => object.id === wanted));
      assert.ok(places.every((place) => place >= 0) && (places[0] ?? 0) < (places[1] ?? 0));
      const instants = events.map(({ createdAt }) => createdAt);
      assert.deepEqual(
        instants,
        instants.toSorted((a, b) => b - a),
      );
      assert.ok(instants.every((instant) => instant >= since));
      assert.equal(new Set(events.map((event) => event.id)).size, events.length);
      clock.advance(60_000);
      assert.deepEqual(await provider.listEvents(clock.now()), []);
    });
  });
}
