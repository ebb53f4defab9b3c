import type { Charged } from '../charge-procedures.ts';
import { assertSome } from '../credits.ts';
import {
  type Charge,
  type KeyCall,
  type KeyChargeDeps,
  keyCharge,
  type Leases,
  tooFewCredits,
} from '../key-charge.ts';
import type { LateAnswers } from './late-answers.ts';

type Deps = KeyChargeDeps & { leases: Leases; late: LateAnswers };

type Done = (problem: unknown) => void;

/**
 * The charge for an answer that is at hand, made without a promise. Where the ledger fails or is late, it goes on as an ordinary one under
 * the same id, which the ledger counts once.
 */
export class QuickCharge {
  /** The credits left on the key, as of the last step; null: not known yet. */
  left: number | null = null;
  readonly #deps: Deps;
  readonly #call: KeyCall;
  #charged = 0;
  /** What it became. */
  #ordinary: Charge | null = null;
  /** Of the first question, once it is late: settled by its answer. */
  #first: PromiseWithResolvers<unknown> | null = null;

  constructor(deps: Deps, call: KeyCall) {
    this.#deps = deps;
    this.#call = call;
  }

  /** Throws `Failure('insufficient_credits')` if the key was refused so few credits a moment ago. */
  refuseIfKnown(credits: number): void {
    const available = this.#deps.refusals.known(this.#call.keyId, credits);
    if (available !== null) throw this.#refusal(available);
  }

  /** Calls `done` once the charge is made, with null, or has failed. Throws as `refuseIfKnown` does. */
  charge(credits: number, done: Done): void {
    assertSome(credits, 'a call is charged at least one whole credit');
    this.refuseIfKnown(credits);
    const { ledger, clock, late, refusals } = this.#deps;
    const note = refusals.asking();
    const isLate = (): boolean => {
      late.end(giveUp);
      this.#first?.resolve(null);
      return this.#first !== null;
    };
    const giveUp = (): void => {
      this.#first = Promise.withResolvers();
      this.#again(credits, done);
    };
    late.begin(giveUp);
    ledger.chargeThen(
      { ...this.#call, amount: credits, at: clock.now() },
      (charged) => {
        if (isLate()) return;
        if (charged.charged === 0) note(this.#call.keyId, charged.available);
        done(this.#took(charged));
      },
      () => void (isLate() || this.#again(credits, done)),
    );
  }

  /** Undoes the charge. Resolves when that is done, or after a time limit. */
  async refund(): Promise<void> {
    this.#ordinary ??= keyCharge(this.#deps, this.#call, { amount: this.#charged, left: this.left });
    await this.#ordinary.refund();
    if (this.left !== null) this.left = await this.#ordinary.remaining();
  }

  #took({ charged, available, purchase }: Charged): unknown {
    if (charged === 0) return this.#refusal(available);
    const { events, onPurchase } = this.#deps;
    this.#charged = charged;
    this.left = available;
    events.creditsHeld(charged);
    events.creditsSettled({ used: charged, unused: 0 });
    if (purchase !== null) onPurchase(purchase);
    return null;
  }

  #refusal(available: number): unknown {
    this.left = available;
    this.#deps.events.paymentRequired('insufficient_credits');
    return tooFewCredits(this.#call.keyId);
  }

  #again(credits: number, done: Done): void {
    const ordinary = keyCharge(this.#deps, this.#call, { late: this.#first?.promise ?? null });
    this.#ordinary = ordinary;
    const noteLeft = async (): Promise<void> => {
      this.left = await ordinary.remaining();
    };
    ordinary
      .charge(credits)
      .then(noteLeft)
      .then(() => null)
      .catch((problem: unknown) => problem)
      .then(done);
  }
}
