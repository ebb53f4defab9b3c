import ipaddr from 'ipaddr.js';
import { isPublicAddress } from './address.ts';

/**
 * Who can reach this server, and what it can reach that its callers cannot. It is derived once from the settings; payments, the rule
 * for web pages (decision 0017), warnings and `doctor` take it from here.
 */
export type Exposure = {
  /** The farthest callers that the settings invite: programs on this machine, on its network, or anybody. */
  audience: 'machine' | 'network' | 'public';
  /** URLs at which the operator makes the service known (`BASE_URL`, `SITE_URL`). */
  publicUrls: readonly string[];
  /** Origins of pages that the operator allows to call (`ALLOWED_ORIGINS`). */
  allowedOrigins: readonly string[];
  /**
   * The hosts of this server that web pages of any site may call: every host, those of `publicUrls` alone (a page elsewhere must not
   * use a server on the visitor's own machine), or none (the server reads private networks or is not metered, so it would do for
   * a page what the page cannot do itself).
   */
  openTo: 'every host' | 'public hosts' | 'no host';
};

type Reach = {
  /** The host that the server listens on. */
  host: string;
  baseUrl: string | null;
  siteUrl: string | null;
  allowedOrigins: readonly string[];
  /** Private networks (CIDRs) from which pages may be fetched. */
  fetchAllowPrivate: readonly string[];
  metering: boolean;
};

export function deriveExposure(reach: Reach): Exposure {
  const publicUrls = [reach.baseUrl, reach.siteUrl].filter((url) => url !== null);
  return {
    audience: findAudience(reach.host, publicUrls),
    publicUrls,
    allowedOrigins: reach.allowedOrigins,
    openTo: findOpenHosts(reach),
  };
}

/** Without a public URL the listening address tells; 0.0.0.0 reaches at least the network. */
function findAudience(host: string, publicUrls: readonly string[]): Exposure['audience'] {
  const hosts = publicUrls.length > 0 ? publicUrls.map((url) => new URL(url).hostname) : [host];
  if (hosts.every(isLoopback)) return 'machine';
  return hosts.some((one) => isPublicName(one) || isPublicAddress(withoutBrackets(one)))
    ? 'public'
    : 'network';
}

function findOpenHosts({ host, baseUrl, fetchAllowPrivate, metering }: Reach): Exposure['openTo'] {
  if (fetchAllowPrivate.length > 0 || !metering) return 'no host';
  // A name may stand for a loopback address. In a container the server listens on all addresses; then its base URL tells.
  const listensToOthers = ipaddr.isValid(withoutBrackets(host)) && !isLoopback(host);
  const isForThisMachine = baseUrl !== null && isLoopback(new URL(baseUrl).hostname);
  return listensToOthers && !isForThisMachine ? 'every host' : 'public hosts';
}

/** Whether a host, an IP address or a name, is this machine. */
export function isLoopback(host: string): boolean {
  const bare = withoutBrackets(host);
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() === 'loopback';
  return bare === 'localhost' || bare.endsWith('.localhost');
}

/** Suffixes that public DNS never resolves, so that nobody can point a name below them at another machine; `.svc` is Kubernetes'. */
const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.lan', '.home.arpa', '.svc'];

/** Whether somebody may own the host's name in the public DNS, and so decide where it leads. */
export function isPublicName(host: string): boolean {
  const bare = withoutBrackets(host);
  return (
    !ipaddr.isValid(bare) && bare.includes('.') && !LOCAL_SUFFIXES.some((suffix) => bare.endsWith(suffix))
  );
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');
