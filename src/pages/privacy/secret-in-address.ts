import { isTracking } from '../../text/urls/url-spelling.ts';

/**
 * Parameters whose value grants access. Names are compared in lower case and without `-`, `_` and `.`, so that
 * `access_token` and `accessToken` are one.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set(
  `accesskey accesskeyid activation activationcode apikey appkey assertion auth authcode authkey authorization
  awsaccesskeyid bearer cftoken clientsecret code confirmation confirmationcode confirmationtoken credential credentials
  cred csrf googleaccessid hdnea hdnts hmac idtoken invitation invite invitecode jwt key keypairid loginhash
  logintoken magic magiclink nonce oauthverifier onetimecode otp ott pass passcode passphrase passwd password pin pwd
  resetcode resetkey resourcekey samlart samlresponse secret sess session sessionid sessionkey sessid sharekey
  sharetoken sid sig sign signature ssotoken subscriptionkey ticket tok token unlock unsubscribe userpass
  verification verificationcode verifycode xsrf phpsessid jsessionid jsession aspxauth cfid`.split(/\s+/),
);
/** Endings of such names: `page_access_token`, `X-Amz-Signature`. */
const SECRET_ENDINGS: readonly string[] = [
  'token',
  'secret',
  'password',
  'signature',
  'apikey',
  'sessionid',
  'sessid',
  'credential',
  'securitykey',
];
/** Beginnings of the parameters of signed addresses, as written, in lower case. */
const SECRET_BEGINNINGS: readonly string[] = [
  'x-amz-',
  'x-goog-',
  'x-oss-',
  'x-cos-',
  'x-ms-',
  'x-obs-',
  'aspsessionid',
  'oauth_',
];
/** Sets of parameters that form a signature together but are common words alone, with the number that is enough. */
const SECRET_SETS: readonly { names: readonly string[]; atLeast: number }[] = [
  // Shared access signatures of Azure storage.
  { names: ['sv', 'se', 'sp', 'sr', 'st', 'spr', 'skoid', 'sktid', 'ske'], atLeast: 3 },
  // CloudFront.
  { names: ['expires', 'policy', 'keypairid'], atLeast: 2 },
];
/** Parts of a path after which a random part is a secret: `/reset/9f8a...`. */
const SECRET_PLACES: ReadonlySet<string> = new Set(
  `access activate activation auth authorize capability confirm confirmation download-link invite invitation join key
  login magic magic-link password password-reset private recover reset reset-password s secret session share shared
  sharing signed signin sign-in sso t ticket token unlock unsubscribe verification verify verify-email`.split(
    /\s+/,
  ),
);

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
