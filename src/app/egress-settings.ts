import * as z from 'zod';
import type { EgressSettings, ProxyServer } from '../platform/net/egress/egress.ts';
import { parseHostRule } from '../platform/net/egress/host-rules.ts';
import { list } from './caller-settings.ts';

/** Settings of the ways out of this machine. */
export type EgressConfig = {
  /** Null: nothing is set, and every host is reached directly. */
  readonly egress: EgressSettings | null;
};

const DIRECT = 'direct';
const PROXY_REASON =
  'must be the address of a proxy such as http://user:password@proxy.example:3128, https:// or socks5://';
const HOSTS_REASON = 'must be a comma list of hosts such as .corp.example, 10.0.0.0/8 or example.org:8443';
const RULES_REASON =
  'must be a comma list of hosts=proxy or hosts=direct such as .corp.example=direct or api.example=socks5://127.0.0.1:1080';
const CERTIFICATES_REASON =
  'must be a comma list of hosts=file such as .corp.example=/etc/sanderling/client.pem';
/** Longest name and password of SOCKS 5. */
const LOGIN_BYTES_MAX = 255;
const USUAL_PORTS = { http: 80, https: 443, socks5: 1080 } as const;

export const EGRESS_SETTINGS = {
  EGRESS_PROXY: z
    .string()
    .refine((text) => parseProxy(text) !== null, PROXY_REASON)
    .optional(),
  NO_PROXY: list.refine((rules) => rules.every((rule) => parseHostRule(rule) !== null), HOSTS_REASON),
  EGRESS_RULES: list.refine((rules) => rules.every((rule) => parseWay(rule) !== null), RULES_REASON),
  EGRESS_PROXY_JUDGES: z.enum(['on', 'off'], 'must be on or off').default('off'),
  EGRESS_CA_FILE: z.string().optional(),
  EGRESS_CLIENT_CERTS: list.refine(
    (items) => items.every((item) => parseClientCertificate(item) !== null),
    CERTIFICATES_REASON,
  ),
};

/** Pure: converts the settings to the ways out. NO_PROXY counts only beside a proxy, because machines often set it for all programs. */
export function readEgressConfig(settings: z.output<z.ZodObject<typeof EGRESS_SETTINGS>>): EgressConfig {
  const { EGRESS_PROXY, EGRESS_RULES, EGRESS_CA_FILE, EGRESS_CLIENT_CERTS } = settings;
  const named = EGRESS_RULES.flatMap((rule) => parseWay(rule) ?? []);
  const isSet =
    EGRESS_PROXY !== undefined ||
    EGRESS_CA_FILE !== undefined ||
    named.length > 0 ||
    EGRESS_CLIENT_CERTS.length > 0;
  if (!isSet) return { egress: null };
  const direct = settings.NO_PROXY.map((hosts) => ({ hosts, proxy: null }));
  const others = EGRESS_PROXY === undefined ? [] : [{ hosts: '*', proxy: parseProxy(EGRESS_PROXY) }];
  return {
    egress: Object.freeze({
      rules: Object.freeze([...named, ...direct, ...others]),
      proxyJudges: settings.EGRESS_PROXY_JUDGES === 'on',
      caFile: EGRESS_CA_FILE ?? null,
      clientCertificates: Object.freeze(
        EGRESS_CLIENT_CERTS.flatMap((item) => parseClientCertificate(item) ?? []),
      ),
    }),
  };
}

function parseProxy(text: string): ProxyServer | null {
  const url = URL.parse(text);
  const kind = url?.protocol.slice(0, -1).replace('socks5h', 'socks5');
  if (url === null || url.hostname === '' || (kind !== 'http' && kind !== 'https' && kind !== 'socks5'))
    return null;
  if (url.search !== '' || url.hash !== '' || (url.pathname !== '' && url.pathname !== '/')) return null;
  const login = parseLogin(url);
  if (login === 'invalid') return null;
  return Object.freeze({
    kind,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? USUAL_PORTS[kind] : Number(url.port),
    login,
  });
}

function parseLogin({ username, password }: URL): ProxyServer['login'] | 'invalid' {
  if (username === '' && password === '') return null;
  try {
    const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    const isLong = Object.values(login).some((part) => Buffer.byteLength(part) > LOGIN_BYTES_MAX);
    return isLong ? 'invalid' : Object.freeze(login);
  } catch {
    return 'invalid';
  }
}

function parseWay(rule: string): EgressSettings['rules'][number] | null {
  const { hosts, value } = splitRule(rule);
  if (parseHostRule(hosts) === null) return null;
  if (value === DIRECT) return { hosts, proxy: null };
  const proxy = parseProxy(value);
  return proxy === null ? null : { hosts, proxy };
}

function parseClientCertificate(item: string): EgressSettings['clientCertificates'][number] | null {
  const { hosts, value } = splitRule(item);
  return parseHostRule(hosts) === null || value === '' ? null : { hosts, file: value };
}

function splitRule(rule: string): { hosts: string; value: string } {
  const at = rule.indexOf('=');
  return { hosts: rule.slice(0, Math.max(at, 0)).trim(), value: rule.slice(at + 1).trim() };
}
