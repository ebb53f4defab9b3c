import ipaddr from 'ipaddr.js';
import { isPublicAddress } from './address.ts';

/**
 * Describes who can reach this server, and what the server can reach that its callers cannot. Derived once from the settings; used by
 * payments, the rule for web pages (decision 0017), warnings and `doctor`.
 */
export type Exposure = {
  /** The widest audience that the settings allow: programs on this machine, on its network, or anybody. */
  audience: 'machine' | 'network' | 'public';
  /** URLs under which the operator publishes the service (`BASE_URL`, `SITE_URL`). */
  publicUrls: readonly string[];
  /** Origins of web pages that the operator allows to call the service (`ALLOWED_ORIGINS`). */
  allowedOrigins: readonly string[];
  /**
   * The hosts of this server that web pages of any site may call: every host, those of `publicUrls` alone (a page elsewhere must not
   * use a server on the visitor's own machine), or none (the server reads private networks or is not metered, so it would do for
   * a page what the page cannot do itself).
   */
  openTo: 'every host' | 'public hosts' | 'no host';
};

type ExposureSettings = {
  /** The host that the server listens on. */
  host: string;
  baseUrl: string | null;
  siteUrl: string | null;
  allowedOrigins: readonly string[];
  /** Private networks (CIDRs) from which pages may be fetched. */
  fetchAllowPrivate: readonly string[];
  metering: boolean;
};

export function deriveExposure(reach: ExposureSettings): Exposure {
  const publicUrls = [reach.baseUrl, reach.siteUrl].filter((url) => url !== null);
  return {
    audience: findAudience(reach.host, publicUrls),
    publicUrls,
    allowedOrigins: reach.allowedOrigins,
    openTo: findOpenHosts(reach),
  };
}

/** Uses the listening address if there is no public URL; 0.0.0.0 reaches at least the network. */
function findAudience(host: string, publicUrls: readonly string[]): Exposure['audience'] {
  const hosts = publicUrls.length > 0 ? publicUrls.map((url) => new URL(url).hostname) : [host];
  if (hosts.every(isLoopback)) return 'machine';
  return hosts.some((one) => isPublicName(one) || isPublicAddress(stripBrackets(one))) ? 'public' : 'network';
}

function findOpenHosts({ host, baseUrl, fetchAllowPrivate, metering }: ExposureSettings): Exposure['openTo'] {
  if (fetchAllowPrivate.length > 0 || !metering) return 'no host';
  // A name may stand for a loopback address. In a container the server listens on all addresses; then its base URL decides.
  const listensToOthers = ipaddr.isValid(stripBrackets(host)) && !isLoopback(host);
  const isForThisMachine = baseUrl !== null && isLoopback(new URL(baseUrl).hostname);
  return listensToOthers && !isForThisMachine ? 'every host' : 'public hosts';
}

/** Returns whether a host, given as IP address or name, is this machine. */
export function isLoopback(host: string): boolean {
  const bare = stripBrackets(host);
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() === 'loopback';
  return bare === 'localhost' || bare.endsWith('.localhost');
}

/** Suffixes that public DNS never resolves, so that nobody can point a name below them at another machine; `.svc` is Kubernetes'. */
const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.lan', '.home.arpa', '.svc'];

/** Returns whether the host's name could exist in the public DNS, where its owner decides where it points. */
export function isPublicName(host: string): boolean {
  const bare = stripBrackets(host);
  return (
    !ipaddr.isValid(bare) && bare.includes('.') && !LOCAL_SUFFIXES.some((suffix) => bare.endsWith(suffix))
  );
}

const stripBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');
