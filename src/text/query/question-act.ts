import { stemWord } from '../words/stems.ts';

/** An action that a question asks how to perform: the stems of all verbs that passages express it with. */
export type AskedAct = {
  /** The stem of the verb in the question itself. */
  said: string;
  stems: ReadonlySet<string>;
};

const OFF =
  'disable deactivate turn switch stop suppress prevent avoid skip omit ignore silence mute remove unset exclude';
/** Verbs with the same meaning in manuals; the first column has those of questions. */
const VERBS: [said: string, others: string][] = [
  ['turn switch', 'enable activate turn switch start convert set'],
  ['enable activate start begin allow permit', 'enable activate turn switch start convert set allow permit'],
  ['disable deactivate stop prevent avoid skip suppress silence mute ignore forbid disallow', OFF],
  ['hide mask redact', 'hide mask redact suppress exclude omit remove filter replace obscure'],
  [
    'limit restrict cap bound',
    'limit restrict cap bound exceed maximum minimum max most least size threshold truncate',
  ],
  [
    'set change configure adjust choose pick define specify',
    'set change configure adjust choose define specify override modify',
  ],
];
const PARTICLES = /^(?:turn|switch)(?:ing)?\b.*\b(on|off)\b/i;

/** Matches the words before the verb of a how-to question. */
const LEAD =
  /^(?:(?:please|and|so) +)?(?:how (?:do|can|could|should|would|might) (?:i|you|we|one) +|how to +|(?:what is|what's) the (?:best )?way to +|(?:i|we) (?:want|need|would like) to +|can (?:i|you|we) +|is there a way to +|ways? to +|(?:best|easiest|simplest) way to +)?/i;

const byVerb = new Map<string, ReadonlySet<string>>(
  VERBS.flatMap(([said, others]) => {
    const stems = new Set(stemVerbs(`${said} ${others}`));
    return said.split(' ').map((verb) => [verb, stems] as const);
  }),
);
const NO_STEMS: ReadonlySet<string> = new Set();
const turningOff = new Set(stemVerbs(OFF));

/**
 * Detects the action that a question asks how to perform ("how do I turn on WAL", "limit the size of uploads"); null for any other
 * question.
 */
export function detectAskedAct(question: string): AskedAct | null {
  const lead = LEAD.exec(question.trim())?.[0] ?? '';
  const asked = question.trim().slice(lead.length);
  const verb = /^[a-z]+/i.exec(asked)?.[0].toLowerCase() ?? '';
  const stems = byVerb.get(verb);
  if (stems === undefined)
    return lead === '' || verb === '' ? null : { said: stemWord(verb, 'en'), stems: NO_STEMS };
  const particle = PARTICLES.exec(asked)?.[1]?.toLowerCase();
  return { said: stemWord(verb, 'en'), stems: particle === 'off' ? turningOff : stems };
}

function stemVerbs(verbs: string): string[] {
  return verbs.split(' ').map((verb) => stemWord(verb, 'en'));
}
