import type { Config } from '../../app/config.ts';
import { KEYS_PER_ACCOUNT_MAX } from '../../billing/keys/key-procedures.ts';
import { hasTerms, NO_TERMS } from '../../billing/limits/key-limits.ts';
import { formatKeyTerms } from '../../billing/limits/key-terms.ts';
import {
  type Options,
  print,
  printJson,
  printNote,
  readGivenTerms,
  refuse,
  type TermOptions,
  toRecordJson,
  toTermsJson,
  withKey,
} from './key-command.ts';

/** `sanderling keys add`: adds a key that draws on the account of another. Like all commands here, resolves to the exit code. */
export function addKey(
  config: Config,
  idOrKey: string,
  {
    label = null,
    manages = false,
    store,
    json,
    ...given
  }: Options & TermOptions & { label?: string | null; manages?: boolean; store: boolean },
): Promise<number> {
  return withKey(config, idOrKey, async ({ id, account }, { keys }) => {
    const terms = { ...NO_TERMS, ...readGivenTerms(given) };
    const added = await keys.addTo(id, { label, manages, terms, noStore: !store });
    if (added === null)
      return refuse(
        `The account ${account} has ${KEYS_PER_ACCOUNT_MAX} keys, the most it may have. Revoke one: sanderling keys list --account ${account}`,
      );
    const { keyId, apiKey } = added;
    if (json)
      printJson({ id: keyId, apiKey, account, label, manages, noStore: !store, ...toTermsJson(terms) });
    else {
      print(apiKey);
      printNote(
        `This is ${keyId}; it draws on the credits of ${account}. The key is not stored and cannot be shown again.`,
      );
      if (hasTerms(terms)) printNote(`It may be used as follows: ${formatKeyTerms(terms)}.`);
    }
    return 0;
  });
}

/** `sanderling keys rotate`: gives a key a new secret; the old one keeps working for `overlap` milliseconds. */
export function rotateKey(
  config: Config,
  idOrKey: string,
  { overlap, json }: Options & { overlap: number },
): Promise<number> {
  return withKey(config, idOrKey, async ({ id, hint }, { keys }) => {
    const rotated = await keys.rotate(id, { overlapMs: overlap });
    if (rotated === null) return refuse(`${id} is revoked and cannot be rotated.`);
    const { apiKey, oldUntil } = rotated;
    const until = oldUntil === null ? null : new Date(oldUntil).toISOString();
    if (json) printJson({ id, apiKey, oldUntil: until });
    else {
      print(apiKey);
      const end = until === null ? 'ended at once' : `works until ${until}`;
      printNote(`${id} has a new secret, which cannot be shown again. The old one, ${hint}…, ${end}.`);
    }
    return 0;
  });
}

/** `sanderling keys label`: changes the label of a key, and whether its holder may sign in and manage the account. */
export function describeKey(
  config: Config,
  idOrKey: string,
  { label, manages, json }: Options & { label?: string; manages?: boolean },
): Promise<number> {
  return withKey(config, idOrKey, async ({ id }, { keys }) => {
    const change = {
      ...(label === undefined ? {} : { label }),
      ...(manages === undefined ? {} : { manages }),
    };
    if (!(await keys.describe(id, change)))
      return refuse(
        `${id} is the last key that may manage its account. Add another: sanderling keys add ${id} --manages`,
      );
    const record = await keys.show(id);
    if (record === null) throw new Error(`the key ${id} is gone`);
    if (json) printJson(toRecordJson(record));
    else
      print(
        `${id}${record.label === null ? '' : ` (${record.label})`} may ${record.manages ? 'call and manage the account' : 'call'}.`,
      );
    return 0;
  });
}
