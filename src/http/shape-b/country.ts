/** Domains of a country besides its top-level domain. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  us: ['gov', 'edu', 'mil'],
};
/** Top-level domains that differ from the ISO 3166 code. */
const DOMAIN_OF: Readonly<Record<string, string>> = { gb: 'uk' };
/** Country names that clients send besides the English names of the Unicode locale data. */
const ALSO_CALLED: Readonly<Record<string, string>> = {
  usa: 'us',
  'united states of america': 'us',
  uk: 'gb',
  'great britain': 'gb',
  'czech republic': 'cz',
  turkey: 'tr',
  'ivory coast': 'ci',
  burma: 'mm',
  'cape verde': 'cv',
  swaziland: 'sz',
  macedonia: 'mk',
  'bosnia and herzegovina': 'ba',
  'trinidad and tobago': 'tt',
};

let codes: Map<string, string> | null = null;

/** Finds the domains of a country by its English name, in any case, or its two-letter code; null if it is unknown. */
export function findCountryDomains(given: unknown): string[] | null {
  if (typeof given !== 'string') return null;
  codes ??= buildCountryCodes();
  const name = given.trim().toLowerCase();
  const code = Object.hasOwn(ALSO_CALLED, name) ? ALSO_CALLED[name] : codes.get(name);
  if (code === undefined) return null;
  return [DOMAIN_OF[code] ?? code, ...(MORE[code] ?? [])];
}

/** Maps every country's English name and code, in lower case, to its code. */
function buildCountryCodes(): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const known = new Map<string, string>();
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code);
    // Withdrawn codes are aliases of others (DD for DE); private-use codes name groups of countries.
    const isCurrent = new Intl.Locale(`und-${code}`).region === code;
    if (name === undefined || !isCurrent || /^(?:Q[M-Z]|X[A-JL-Z]|E[UZ]|UN|ZZ|AA)$/.test(code)) continue;
    known.set(name.toLowerCase(), code.toLowerCase());
    known.set(code.toLowerCase(), code.toLowerCase());
  }
  return known;
}
