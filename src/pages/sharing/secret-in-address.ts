import { isTracking } from '../../text/urls/url-spelling.ts';
import { SECRET_BEGINNINGS, SECRET_ENDINGS, SECRET_NAMES, SECRET_PLACES, SECRET_SETS } from './secret-names.ts';

/** Minimum length of a random value; shorter ones are numbers, names and dates rather than keys. */
const RANDOM_CHARS_MIN = 20;
/** Minimum changes between letters and digits, and minimum changes including those of case; ordinary words have fewer. */
const RANDOM_DIGIT_CHANGES_MIN = 2;
const RANDOM_CHANGES_MIN = 5;
const CHARS_PER_CHANGE_MAX = 8;
const RANDOM_CHARS_MAX = 8_192;

const JSON_WEB_TOKEN = /^eyJ[\w-]{8,}\.[\w-]{8,}/;

/** Checks whether an address grants access by a name and password, a token, a signature, a session or a random value. */
export function hasSecret(address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  if (url.username !== '' || url.password !== '') return true;
  const parameters = [
    ...url.searchParams,
    ...new URLSearchParams(url.hash.slice(1)),
    ...parsePathParameters(url.pathname),
  ];
  return (
    parameters.some(([name, value]) => isSecretName(name) || isSecretValue(name, value)) ||
    hasSecretSet(parameters.map(([name]) => normalizeName(name))) ||
    hasSecretPart(url.pathname)
  );
}

/** Returns parameters written into the path: `/page;jsessionid=1A2B`. */
function parsePathParameters(pathname: string): [string, string][] {
  const parts = pathname.split(';').slice(1);
  return parts.map((part) => {
    const [name = '', value = ''] = part.split('=');
    return [name, value.split('/')[0] ?? ''];
  });
}

function isSecretName(name: string): boolean {
  const written = name.toLowerCase();
  const spelled = normalizeName(name);
  return (
    SECRET_NAMES.has(spelled) ||
    SECRET_ENDINGS.some((ending) => spelled.endsWith(ending)) ||
    SECRET_BEGINNINGS.some((beginning) => written.startsWith(beginning))
  );
}

const normalizeName = (name: string): string => name.toLowerCase().replace(/[-_.[\]]/g, '');

function isSecretValue(name: string, value: string): boolean {
  return JSON_WEB_TOKEN.test(value) || (isLikelyRandom(value) && !isTracking(name, value));
}

function hasSecretSet(names: readonly string[]): boolean {
  return SECRET_SETS.some((set) => set.names.filter((name) => names.includes(name)).length >= set.atLeast);
}

function hasSecretPart(pathname: string): boolean {
  const parts = pathname.split('/');
  return parts.some(
    (part, at) =>
      JSON_WEB_TOKEN.test(part) ||
      (SECRET_PLACES.has((parts[at - 1] ?? '').toLowerCase()) && isLikelyRandom(part)),
  );
}

/** Checks whether letters and digits alternate as often as in a key. Hyphens and the like separate words, not keys. */
function isLikelyRandom(value: string): boolean {
  const text = value.slice(0, RANDOM_CHARS_MAX);
  let chars = 0;
  let digitChanges = 0;
  let caseChanges = 0;
  let before = '';
  for (const char of text) {
    const kind = classifyChar(char);
    if (kind !== '') chars += 1;
    if (before !== '' && kind !== '' && kind !== before) {
      if (kind === 'digit' || before === 'digit') digitChanges += 1;
      else if (before === 'small') caseChanges += 1;
    }
    before = kind;
  }
  const changesMin = Math.max(RANDOM_CHANGES_MIN, chars / CHARS_PER_CHANGE_MAX);
  return (
    chars >= RANDOM_CHARS_MIN &&
    digitChanges >= RANDOM_DIGIT_CHANGES_MIN &&
    digitChanges + caseChanges >= changesMin
  );
}

function classifyChar(char: string): 'digit' | 'small' | 'large' | '' {
  if (char >= '0' && char <= '9') return 'digit';
  if (char >= 'a' && char <= 'z') return 'small';
  return char >= 'A' && char <= 'Z' ? 'large' : '';
}
