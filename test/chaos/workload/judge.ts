import type { Billing } from '../../../src/app/compose-billing.ts';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import type { Note } from './notes.ts';

export type Verdict = {
  /** Notes by kind, and calls without a note: their process was killed before it answered. */
  counts: Record<string, number>;
  charged: number;
  /** Credits charged for calls that were never answered; each is either charged or refunded as a whole. */
  chargedUnanswered: number;
  wrong: string[];
};

const WRONG_MAX = 20;
/** Long enough for every hold to expire. */
const LATER_MS = 3_600_000;

/** Runs after every process was killed: expires open holds, audits the ledger and compares it with the notes. */
export async function judge(billing: Billing, notes: Note[]): Promise<Verdict> {
  for (let voided = 1; voided > 0; ) voided = await billing.ledger.expire(Date.now() + LATER_MS);
  const { holds, granted } = await billing.ledgerStore.snapshot(async (db) => ({
    holds: await db.selectFrom('hold').select(['id', 'state', 'used']).execute(),
    granted: await db.selectFrom('entry').select(['key_id', 'ref']).where('kind', '=', 'grant').execute(),
  }));
  const keptOf = new Map(holds.map(({ id, state, used }) => [id, state === 'captured' ? used : 0]));
  const grantOf = new Map(granted.map(({ ref, key_id }) => [ref, key_id]));
  const verdict: Verdict = { counts: {}, charged: 0, chargedUnanswered: 0, wrong: [] };
  const answered = new Set<string>();
  for (const note of notes) {
    const counted = note.kind === 'grant' ? 'granted' : note.how;
    verdict.counts[counted] = (verdict.counts[counted] ?? 0) + 1;
    if (note.kind === 'grant' && grantOf.get(note.ref) !== note.keyId)
      verdict.wrong.push(`the grant ${note.ref} is gone`);
    if (note.kind !== 'call') continue;
    answered.add(note.id);
    const kept = keptOf.get(note.id) ?? 0;
    verdict.charged += kept;
    if (kept !== note.kept) verdict.wrong.push(`${note.id} (${note.how}): ${kept} kept, not ${note.kept}`);
  }
  const unanswered = [...keptOf].filter(([id]) => !answered.has(id));
  verdict.counts['held, never answered'] = unanswered.length;
  verdict.chargedUnanswered = unanswered.reduce((sum, [, kept]) => sum + kept, 0);
  const found = await createAudit(billing)();
  verdict.wrong.push(...found.map(({ invariant, text }) => `${invariant} ${text}`));
  return { ...verdict, wrong: verdict.wrong.slice(0, WRONG_MAX) };
}
