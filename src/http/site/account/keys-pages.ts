import type { BalanceReader } from '../../../billing/balance.ts';
import { KEYS_PER_ACCOUNT_MAX } from '../../../billing/keys/key-procedures.ts';
import type { KeyRecord, Keys } from '../../../billing/keys/keys.ts';
import type { AccountUsage } from '../../../billing/ledger/account-usage.ts';
import { hasTerms, type KeyTerms } from '../../../billing/limits/key-limits.ts';
import { parseCalls, parseExpiry, parseOverlap } from '../../../billing/limits/key-terms.ts';
import { Failure, type FieldProblem } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Answer, Call } from '../../calls/call.ts';
import type { Html } from '../html.ts';
import type { Website } from '../shell/site.ts';
import { buildAccountPage } from './account-frame.ts';
import { type KeyForms, type NewSecret, renderKey, renderKeys } from './keys-view.ts';
import { type OwnerSignIn, type OwnerVisit, redirect } from './owner-sign-in.ts';

export type KeysPagesDeps = {
  signIn: OwnerSignIn;
  keys: Keys;
  balanceOf: BalanceReader;
  accountUsage: AccountUsage;
  clock: Clock;
  site: Website;
};

type Handler = (call: Call) => Promise<Answer>;
/** Parts of a page that do not come from the store. */
type Notes = {
  typed?: URLSearchParams;
  problems?: FieldProblem[];
  secret?: NewSecret;
  problem?: string;
  status?: number;
};

const DAYS = 30;
const LABEL_CHARS_MAX = 100;

/** Creates the handlers of the pages about an account's keys and of their forms. */
export function createKeysPages(
  deps: KeysPagesDeps,
): Record<'list' | 'show' | 'add' | 'change' | 'rotate' | 'endOld' | 'revoke', Handler> {
  const { signIn, keys } = deps;
  return {
    list: signIn.page((visit) => buildListPage(deps, visit)),
    show: signIn.page(async (visit, { params }) =>
      buildKeyPage(deps, visit, await requireOwnKey(deps, visit, params)),
    ),
    add: signIn.action((visit) => add(deps, visit)),
    change: signIn.action(async (visit, { params }) =>
      change(deps, visit, await requireOwnKey(deps, visit, params)),
    ),
    rotate: signIn.action(async (visit, { params }) =>
      rotate(deps, visit, await requireOwnKey(deps, visit, params)),
    ),
    endOld: signIn.action(async (visit, { params }) => {
      const { id } = await requireOwnKey(deps, visit, params);
      await keys.endOldSecret(id);
      return redirect(`/account/keys/${id}`);
    }),
    revoke: signIn.action(async (visit, { params }) =>
      revoke(deps, visit, await requireOwnKey(deps, visit, params)),
    ),
  };
}

type FormVisit = OwnerVisit & { form: URLSearchParams };

/** Finds a key of the visitor's account. Throws `Failure('not_found')` for any other. */
async function requireOwnKey(
  { keys }: KeysPagesDeps,
  { session }: OwnerVisit,
  params: Call['params'],
): Promise<KeyRecord> {
  const id = params.id ?? '';
  const record = id.startsWith('key_') ? await keys.show(id) : null;
  if (record === null || record.account !== session.account || record.state === 'revoked')
    throw new Failure('not_found', 'There is no such key in your account.');
  return record;
}

async function buildListPage(deps: KeysPagesDeps, visit: OwnerVisit, notes: Notes = {}): Promise<Answer> {
  const { keys, accountUsage } = deps;
  const { account } = visit.session;
  const [records, parts] = await Promise.all([keys.ofAccount(account), accountUsage.parts(account, DAYS)]);
  const usedBy = new Map<string, number>();
  for (const { keyId, credits } of parts) usedBy.set(keyId, (usedBy.get(keyId) ?? 0) + credits);
  const forms = await buildForms(deps, visit, notes);
  return wrapPage(deps, visit, {
    ...notes,
    main: renderKeys(records, { forms, usedBy, secret: notes.secret ?? null }),
  });
}

async function buildKeyPage(
  deps: KeysPagesDeps,
  visit: OwnerVisit,
  record: KeyRecord,
  notes: Notes = {},
): Promise<Answer> {
  const { terms } = await deps.balanceOf(record.id);
  const main = renderKey(record, {
    forms: await buildForms(deps, visit, notes),
    callsToday: terms?.callsToday ?? null,
    secret: notes.secret ?? null,
    problem: notes.problem ?? null,
  });
  return wrapPage(deps, visit, { ...notes, main });
}

function wrapPage(
  { site }: KeysPagesDeps,
  { csrf }: OwnerVisit,
  { main, status = 200 }: Notes & { main: Html },
): Answer {
  return buildAccountPage({ site, place: '/account/keys', title: 'Keys', csrf, main, status });
}

async function buildForms(
  deps: KeysPagesDeps,
  visit: OwnerVisit,
  { typed = new URLSearchParams(), problems = [] }: Notes,
): Promise<KeyForms> {
  const isBound = await isBoundByOperator(deps, visit);
  return { csrf: visit.csrf, typed, problems, now: deps.clock.now(), isBound };
}

/**
 * Returns true if the operator has limited the account's first key. Its holder then may neither change the limits nor add keys: a
 * limit that its holder could lift, or avoid with another key for the same credits, would be none.
 */
async function isBoundByOperator({ keys }: KeysPagesDeps, { session }: OwnerVisit): Promise<boolean> {
  const first = await keys.show(session.account);
  return first?.kind === 'operator' && hasTerms(first.terms);
}

const createBoundFailure = (): Failure =>
  new Failure(
    'forbidden',
    'The operator of this service has set limits for this account; only they change it.',
  );

const LIMIT_FIELDS = ['per_minute', 'per_day', 'expires'] as const;

async function add(deps: KeysPagesDeps, visit: FormVisit): Promise<Answer> {
  const { form } = visit;
  if (await isBoundByOperator(deps, visit)) throw createBoundFailure();
  const read = readKeyForm(form, deps.clock.now());
  if (!read.ok) return buildListPage(deps, visit, { typed: form, problems: read.problems, status: 422 });
  const added = await deps.keys.addTo(visit.session.account, read.wanted);
  if (added === null)
    throw new Failure('forbidden', `An account may have ${KEYS_PER_ACCOUNT_MAX} keys; revoke one first.`);
  return buildListPage(deps, visit, { secret: { apiKey: added.apiKey, what: 'The new key' } });
}

async function change(deps: KeysPagesDeps, visit: FormVisit, record: KeyRecord): Promise<Answer> {
  const { keys, clock } = deps;
  const { form } = visit;
  const isBound = await isBoundByOperator(deps, visit);
  if (isBound && LIMIT_FIELDS.some((name) => form.has(name))) throw createBoundFailure();
  const read = readKeyForm(form, clock.now());
  if (!read.ok)
    return buildKeyPage(deps, visit, record, { typed: form, problems: read.problems, status: 422 });
  const { label, manages, terms } = read.wanted;
  if (
    manages &&
    terms.expiresAt !== null &&
    record.terms.expiresAt === null &&
    (await isLastManager(deps, record))
  )
    return buildKeyPage(deps, visit, record, { typed: form, problem: LAST_MANAGER, status: 409 });
  if (!(await keys.describe(record.id, { label, manages })))
    return buildKeyPage(deps, visit, record, { typed: form, problem: LAST_MANAGER, status: 409 });
  if (!isBound) await keys.changeTerms(record.id, terms);
  return redirect(`/account/keys/${record.id}`);
}

const LAST_MANAGER =
  'This is the last key that can manage the account and does not end by itself. Add another one first.';

async function isLastManager({ keys }: KeysPagesDeps, { id }: KeyRecord): Promise<boolean> {
  const others = (await keys.ofAccount(id)).filter((one) => one.id !== id && one.state !== 'revoked');
  return !others.some(({ manages, terms }) => manages && terms.expiresAt === null);
}

async function rotate(deps: KeysPagesDeps, visit: FormVisit, { id }: KeyRecord): Promise<Answer> {
  const overlap = parseOverlap(visit.form.get('overlap') ?? '0');
  if (!overlap.ok) throw new Failure('validation_error', `The overlap ${overlap.why}.`);
  const how = { overlapMs: overlap.value ?? 0, session: visit.session.id };
  const rotated = await deps.keys.rotate(id, how);
  const record = await deps.keys.show(id);
  if (rotated === null || record === null) throw new Failure('not_found', 'The key was revoked meanwhile.');
  return buildKeyPage(deps, visit, record, { secret: { apiKey: rotated.apiKey, what: 'The new secret' } });
}

async function revoke(deps: KeysPagesDeps, visit: FormVisit, record: KeyRecord): Promise<Answer> {
  if (visit.form.get('sure') !== '1')
    return buildKeyPage(deps, visit, record, { problem: 'Tick the box to revoke the key.', status: 422 });
  if (!(await deps.keys.revokeOwn(record.id)))
    return buildKeyPage(deps, visit, record, { problem: LAST_MANAGER, status: 409 });
  return redirect('/account/keys');
}

type KeyFormResult =
  | { ok: true; wanted: { label: string | null; manages: boolean; terms: KeyTerms } }
  | { ok: false; problems: FieldProblem[] };

/** Reads the form of a key. An empty limit means no limit. */
function readKeyForm(form: URLSearchParams, now: number): KeyFormResult {
  const readText = (name: string): string => (form.get(name) ?? '').trim();
  const problems: FieldProblem[] = [];
  const readTerm = (name: string, read: (text: string) => ReturnType<typeof parseCalls>): number | null => {
    const given = readText(name);
    const outcome = given === '' ? ({ ok: true, value: null } as const) : read(given);
    if (!outcome.ok) problems.push({ field: name, message: outcome.why });
    return outcome.ok ? outcome.value : null;
  };
  const terms = {
    perMinute: readTerm('per_minute', parseCalls),
    perDay: readTerm('per_day', parseCalls),
    expiresAt: readTerm('expires', (given) => parseExpiry(given, now)),
  };
  const label = readText('label')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, LABEL_CHARS_MAX);
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    wanted: { label: label === '' ? null : label, manages: form.get('manages') === '1', terms },
  };
}
