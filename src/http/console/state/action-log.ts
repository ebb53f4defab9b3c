import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Store } from '../../../platform/store/open-store.ts';

/** An action of the operator. */
type OperatorAction = {
  at: number;
  /** The action in a few words, such as `key revoked`. */
  action: string;
  /** The object of the action: the id of a key or run, the name of a source, or a host. Never a secret or a whole address. */
  subject: string | null;
  outcome: string;
};

/** The last actions of the operator on all processes that share these data. Each also gets a line in the log. */
export type ActionLog = {
  /** `id` is the object of the action. `host` is shown only in the console, because the log contains no addresses. Never rejects. */
  record(what: { action: string; id?: string; host?: string; outcome?: string }): Promise<void>;
  /** Lists the last actions, the newest first. */
  last(count: number): Promise<OperatorAction[]>;
};

/** Maximum actions that are kept. */
const KEPT_MAX = 500;
const TEXT_CHARS_MAX = 300;

export function createActionLog({ store, log, clock }: { store: Store; log: Log; clock: Clock }): ActionLog {
  return {
    async record({ action, id, host, outcome = 'done' }) {
      log.info({ action, outcome, ...(id === undefined ? {} : { id }) }, 'action of the operator');
      const row = { at: clock.now(), action, subject: id ?? host ?? null, outcome };
      try {
        const { subject } = row;
        const cut = { ...row, subject: subject?.slice(0, TEXT_CHARS_MAX) ?? null };
        const added = await store
          .insertInto('operator_action')
          .values({ ...cut, outcome: outcome.slice(0, TEXT_CHARS_MAX) })
          .executeTakeFirstOrThrow();
        const newest = Number(added.insertId ?? 0);
        await store
          .deleteFrom('operator_action')
          .where('id', '<=', newest - KEPT_MAX)
          .execute();
      } catch (err) {
        // The action has already happened, so it must not fail because its entry could not be written.
        log.error({ action, err }, 'an action of the operator could not be entered');
      }
    },
    last: (count) =>
      store
        .selectFrom('operator_action')
        .select(['at', 'action', 'subject', 'outcome'])
        .orderBy('id', 'desc')
        .limit(count)
        .execute(),
  };
}
