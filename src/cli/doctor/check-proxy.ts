import type { Config } from '../../app/config.ts';
import { isLoopback } from '../../platform/net/exposure.ts';
import { toOk, toWarning, type Verdict } from '../check-result.ts';
import type { Probe } from './probes.ts';

/** Whether the public address leads here, and whether the addresses of callers come through the proxies in front of it. */
export async function checkProxy(
  { baseUrl, host, trustProxy }: Pick<Config, 'baseUrl' | 'host' | 'trustProxy'>,
  { isRunning, ask }: { isRunning: boolean; ask(url: string): Promise<Probe> },
): Promise<Verdict> {
  if (baseUrl === null) {
    if (trustProxy === 0) return { mark: 'off', text: 'none: neither BASE_URL nor TRUST_PROXY is set' };
    return toWarning(`TRUST_PROXY is ${trustProxy}, but BASE_URL is not set: links name ${host}`);
  }
  const { hostname, protocol } = new URL(baseUrl);
  // The server itself speaks only http.
  const isProxied = protocol === 'https:' || (isLoopback(host) && !isLoopback(hostname));
  if (isProxied && trustProxy === 0)
    return toWarning(
      `${baseUrl} needs a proxy, but TRUST_PROXY is 0: all callers share one allowance of free requests; set it to the number of proxies`,
    );
  if (!isProxied && trustProxy > 0 && !isLoopback(hostname))
    return toWarning(
      `TRUST_PROXY is ${trustProxy}, but nothing says that there is a proxy: without one callers choose their own address`,
    );
  if (!isRunning)
    return toOk(`${baseUrl}, TRUST_PROXY ${trustProxy}; not asked, because no server runs here`);
  const probe = await ask(`${baseUrl}/healthz`);
  if (probe.ok && probe.status === 200) return toOk(`${baseUrl} answers, TRUST_PROXY ${trustProxy}`);
  return toWarning(
    `${baseUrl}/healthz ${probe.ok ? `answers ${probe.status}` : `cannot be reached from here: ${probe.why}`}`,
  );
}
