import type { Events } from '../../contract/events.ts';
import { type Background, runPeriodically } from '../../platform/background.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Allowance } from './allowance.ts';
import { EXPIRED_MAX, type Ledger } from './ledger.ts';
import { RENEW_EVERY_MS, type RenewingMeter } from './meter.ts';

/** The periodic work of the ledger. */
type Housekeeping = { start(): void; stop(): void };

const EXPIRE_EVERY_MS = 5_000;
const FORGET_EVERY_MS = 3_600_000;

export function createHousekeeping(deps: {
  ledger: Ledger;
  meter: Pick<RenewingMeter, 'renewHolds'>;
  allowance: Allowance;
  clock: Clock;
  events: Events;
  background: Background;
}): Housekeeping {
  const { ledger, meter, allowance, clock, events, background } = deps;
  let end = (): void => {};
  const expire = async (): Promise<void> => {
    let voided = 0;
    do {
      voided = await ledger.expire(clock.now());
      if (voided > 0) events.holdsExpired(voided);
    } while (voided === EXPIRED_MAX);
  };
  return {
    start() {
      end = runPeriodically(background, [
        { name: 'renew holds', ms: RENEW_EVERY_MS, work: () => meter.renewHolds() },
        { name: 'void expired holds', ms: EXPIRE_EVERY_MS, work: expire },
        { name: 'forget past allowances', ms: FORGET_EVERY_MS, work: () => allowance.forgetPast() },
      ]);
    },
    stop: () => end(),
  };
}
