/**
 * The ways out of this machine: which host is reached directly and which through a proxy of the operator, whose certificates are trusted
 * beside the usual ones, and which hosts get a client certificate. It decides and holds what was decided; open-tunnel.ts opens sockets,
 * and the guarded connector stays the one place that asks for them.
 */
import { readFileSync } from 'node:fs';
import type { SecureContext } from 'node:tls';
import { type HostRule, isLocalHost, parseHostRule } from './host-rules.ts';

/** A proxy that the operator named. */
export type ProxyServer = {
  kind: 'http' | 'https' | 'socks5';
  host: string;
  port: number;
  login: { user: string; password: string } | null;
};

export type EgressSettings = {
  /** The first rule that matches a host decides; `proxy` null: directly. No rule matches: directly. */
  readonly rules: readonly { readonly hosts: string; readonly proxy: ProxyServer | null }[];
  /** True: the proxy is trusted to judge names, so it gets them as they are; false: they are resolved and judged here first. */
  readonly proxyJudges: boolean;
  /** A file with certificates of authorities that are trusted beside the usual ones. */
  readonly caFile: string | null;
  /** Files with a certificate and its key, in PEM, for the hosts of a rule. */
  readonly clientCertificates: readonly { readonly hosts: string; readonly file: string }[];
};

export type Egress = {
  /** Returns the proxy through which a host is reached; null: none. */
  findProxy(host: string, port: number): ProxyServer | null;
  readonly proxyJudges: boolean;
  /** Resolves to the TLS settings for a host; undefined: the usual ones. */
  findSecureContext(host: string, port: number): Promise<SecureContext | undefined>;
};

/** A file that the settings name and that cannot be used; the message names the setting. */
export class EgressFileError extends Error {
  override name = 'EgressFileError';
}

/**
 * Creates the ways of the settings. This machine and names without a dot, such as a service of the same container network, are always
 * reached directly. Throws EgressFileError.
 */
export function createEgress(settings: EgressSettings): Egress {
  const rules = settings.rules.map(({ hosts, proxy }) => ({ matches: parseRule(hosts), proxy }));
  const authorities = settings.caFile === null ? null : readPem('EGRESS_CA_FILE', settings.caFile);
  const clients = settings.clientCertificates.map(({ hosts, file }) => ({
    matches: parseRule(hosts),
    pem: readPem('EGRESS_CLIENT_CERTS', file),
  }));
  const contexts = new Map<string | null, Promise<SecureContext>>();
  return {
    findProxy(host, port) {
      if (isLocalHost(host)) return null;
      return rules.find(({ matches }) => matches(host, port))?.proxy ?? null;
    },
    proxyJudges: settings.proxyJudges,
    async findSecureContext(host, port) {
      const pem = clients.find(({ matches }) => matches(host, port))?.pem ?? null;
      if (pem === null && authorities === null) return undefined;
      const context = contexts.get(pem) ?? buildSecureContext(authorities, pem);
      contexts.set(pem, context);
      return context;
    },
  };
}

/** The settings are checked where they are read. */
function parseRule(hosts: string): HostRule {
  const rule = parseHostRule(hosts);
  if (rule === null) throw new RangeError(`${hosts} names no hosts`);
  return rule;
}

async function buildSecureContext(authorities: string | null, client: string | null): Promise<SecureContext> {
  const { createSecureContext, getCACertificates } = await import('node:tls');
  return createSecureContext({
    ...(authorities === null ? {} : { ca: [...getCACertificates('default'), authorities] }),
    ...(client === null ? {} : { cert: client, key: client }),
  });
}

function readPem(setting: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new EgressFileError(`${setting}: ${path} cannot be read`, { cause });
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new EgressFileError(`${setting}: ${path} holds no certificate in PEM`);
  return text;
}

/** Formats a proxy without its login: `http://proxy.example:3128`. */
export function formatProxy({ kind, host, port }: ProxyServer): string {
  return `${kind}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Builds the header that signs in to a proxy; null: it needs none. */
export function buildProxyAuthorization({ login }: ProxyServer): string | null {
  if (login === null) return null;
  return `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
}

/** The status with which a proxy asks for a login. */
export const PROXY_LOGIN = 407;

/** Says why a proxy opened no connection. */
export function describeProxyStatus(status: number): string {
  if (status === PROXY_LOGIN)
    return 'the proxy asks for a login that it was not given, or refuses the one it got';
  return `the proxy refused the connection (${status})`;
}
