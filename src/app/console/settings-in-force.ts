import type { SettingInForce } from '../../http/console/console-types.ts';

type KnownSettings = {
  /** Every setting, in the order in which they are listed. */
  names: readonly string[];
  /** Non-empty variables. */
  present: Readonly<Record<string, string | undefined>>;
  /** Which of them stand in the file of settings. */
  inFile: ReadonlySet<string>;
  /** What holds for those that are not set; absent: nothing. */
  defaults: Readonly<Record<string, unknown>>;
};

/** Settings whose value opens something. */
const SECRET = /(?:SECRET|TOKEN|KEY|HEADERS)(?:_|$)/;
const MASKED = 'set (secret)';
const NOT_SET = 'not set';

/** Pure: lists the settings with where they come from, and no secret. */
export function listSettingsInForce({
  names,
  present,
  inFile,
  defaults,
}: KnownSettings): readonly SettingInForce[] {
  return Object.freeze(
    names.map((name): SettingInForce => {
      const written = present[name];
      if (written === undefined) return { name, value: formatDefault(defaults[name]), from: 'default' };
      return { name, value: maskSecrets(name, written), from: inFile.has(name) ? 'file' : 'environment' };
    }),
  );
}

function maskSecrets(name: string, value: string): string {
  if (SECRET.test(name)) return MASKED;
  // Several nodes of a cluster share one setting.
  const parts = value.split(',');
  if (parts.length > 1 && parts.every((part) => URL.canParse(part.trim())))
    return parts.map((part) => stripCredentials(part.trim())).join(', ');
  return URL.canParse(value) ? stripCredentials(value) : value;
}

/** Addresses of databases may hold a password, in front of the host or in the query. */
function stripCredentials(address: string): string {
  const url = new URL(address);
  if (url.username === '' && url.password === '' && url.search === '') return address;
  url.username = '';
  url.password = '';
  url.search = '';
  return `${url.href} (without its credentials)`;
}

function formatDefault(value: unknown): string {
  if (value === undefined || value === null) return NOT_SET;
  if (Array.isArray(value)) return value.length === 0 ? NOT_SET : value.join(', ');
  return String(value);
}
