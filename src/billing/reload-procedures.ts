import { firstOf, procedure, rowsOf, type Steps } from '../platform/store/books/procedure.ts';
import type { AutoReloadChange } from './auto-reload.ts';

const here = import.meta.url;

/** Changes what is given. False when it is to be on and there is no card: then nothing changes. */
export const configureReload = procedure(
  here,
  'configureReload',
  { durability: 'flushed' },
  function* ({ db }, { keyId, change }: { keyId: string; change: AutoReloadChange }): Steps<boolean> {
    const { enabled, threshold, pack, capCents } = change;
    const changed = yield* firstOf(
      db
        .updateTable('account')
        .set({
          reload_enabled: enabled ? 1 : 0,
          ...(enabled ? { reload_error: null } : {}),
          ...(threshold === undefined ? {} : { reload_threshold: threshold }),
          ...(pack === undefined ? {} : { reload_pack: pack }),
          ...(capCents === undefined ? {} : { reload_cap_cents: capCents }),
        })
        .where('key_id', '=', keyId)
        .$if(enabled, (update) => update.where('card', 'is not', null))
        .returning('key_id'),
    );
    return changed !== null;
  },
);

/** The provider has no such card any more: nothing can be bought with it. */
export const forgetCard = procedure(
  here,
  'forgetCard',
  { durability: 'flushed' },
  function* ({ db }, { by, id }: { by: 'card' | 'customer'; id: string }): Steps<void> {
    yield* rowsOf(
      db
        .updateTable('account')
        .set({ card: null, reload_enabled: 0, reload_error: 'the saved card was removed' })
        .where(by, '=', id),
    );
  },
);
