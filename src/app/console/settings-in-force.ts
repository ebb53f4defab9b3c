import type { SettingInForce } from '../../http/console/console-types.ts';

type KnownSettings = {
  /** All settings, in display order. */
  names: readonly string[];
  /** Non-empty variables. */
  present: Readonly<Record<string, string | undefined>>;
  /** Variables that the settings file sets. */
  inFile: ReadonlySet<string>;
  /** Defaults of settings that are not set; absent: none. */
  defaults: Readonly<Record<string, unknown>>;
};

/** Names of settings whose values are secret. */
const SECRET = /(?:SECRET|TOKEN|KEY|HEADERS)(?:_|$)|^PEER_KEYS$/;
const LOGIN = /\/\/[^\s,/@]{1,1000}@/g;
const MASKED = 'set (secret)';
const NOT_SET = 'not set';

/** Pure: lists the settings with their origins, without secrets. */
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
  // The nodes of a cluster are listed in one setting.
  const parts = value.split(',');
  if (parts.length > 1 && parts.every((part) => URL.canParse(part.trim())))
    return parts.map((part) => stripCredentials(part.trim())).join(', ');
  if (URL.canParse(value)) return stripCredentials(value);
  // Rules name proxies with their logins.
  return value.replace(LOGIN, '//');
}

/** Removes the password that a database URL may hold in front of the host or in the query. */
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
