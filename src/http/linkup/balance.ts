import * as z from 'zod';
import type { BalanceReader } from '../../billing/balance.ts';
import { Failure } from '../../contract/errors.ts';
import type { FreeRoute } from '../calls/call.ts';

/** Response body. */
export const LinkupBalance = z
  .object({ balance: z.int().meta({ description: 'Credits left on the key.' }) })
  .meta({ title: 'LinkupBalance' });

/** GET /linkup/v1/credits/balance: the credits left on the calling key. Error: 401 invalid_api_key. */
export function createLinkupBalanceHandler(balanceOf: BalanceReader): FreeRoute['handle'] {
  return async ({ caller }) => {
    if (caller.kind !== 'key') throw new Failure('invalid_api_key', 'Only a key has a balance.');
    return { body: { balance: (await balanceOf(caller.keyId)).credits } };
  };
}
