import { STRIPE_URL } from '../../app/compose-payments.ts';
import type { Config } from '../../app/config.ts';
import { createEgress, type Egress, EgressFileError, formatProxy } from '../../platform/net/egress/egress.ts';
import { toFailure, toOk, type Verdict } from '../check-result.ts';

type EgressParts = Pick<Config, 'egress' | 'sources' | 'writer' | 'payments' | 'stripe'>;

/** A host that stands for any public one. */
const ANY_URL = 'https://example.com/';
/** Their addresses come with each call, so the rules decide for each host. */
const OPEN_CALLS = 'pages, rendering, webhooks, imports and registries';
const DIRECTLY = 'directly';

/** Says which way each call takes; fails where a file of the settings cannot be used. Whether a proxy answers is seen by `network`. */
export function checkEgress(config: EgressParts): Verdict {
  if (config.egress === null)
    return { mark: 'off', text: 'every call goes directly (EGRESS_PROXY is not set)' };
  let egress: Egress;
  try {
    egress = createEgress(config.egress);
  } catch (error) {
    if (error instanceof EgressFileError) return toFailure(error.message);
    throw error;
  }
  const named = new Map<string, string[]>();
  for (const { name, url } of listCalls(config)) {
    const way = describeWay(egress, url);
    named.set(way, [...(named.get(way) ?? []), name]);
  }
  const ways = [...named].map(([way, names]) => `${names.join(', ')}: ${way}`);
  return toOk([...ways, ...describeTrust(config.egress)].join('; '));
}

function listCalls({ sources, writer, payments, stripe }: EgressParts): { name: string; url: string }[] {
  return [
    { name: OPEN_CALLS, url: ANY_URL },
    ...Object.entries(sources).map(([name, { baseUrl }]) => ({ name, url: baseUrl })),
    ...(writer === null ? [] : [{ name: 'the model', url: writer.url }]),
    ...(payments === 'stripe' ? [{ name: 'payments', url: stripe?.apiBase ?? STRIPE_URL }] : []),
  ];
}

function describeWay(egress: Egress, url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  const proxy = egress.findProxy(hostname.replace(/^\[|\]$/g, ''), Number(port || usual));
  return proxy === null ? DIRECTLY : `through ${formatProxy(proxy)}`;
}

function describeTrust({
  rules,
  proxyJudges,
  caFile,
  clientCertificates,
}: NonNullable<Config['egress']>): string[] {
  const exceptions = rules.filter(({ hosts }) => hosts !== '*').map(({ hosts }) => hosts);
  return [
    ...(exceptions.length === 0 ? [] : [`rules for ${exceptions.join(', ')}`]),
    ...(rules.every(({ proxy }) => proxy === null)
      ? []
      : [proxyJudges ? 'the proxy judges names (EGRESS_PROXY_JUDGES=on)' : 'names are judged here']),
    ...(caFile === null ? [] : [`certificates of ${caFile} are trusted`]),
    ...(clientCertificates.length === 0
      ? []
      : [`a client certificate for ${clientCertificates.map(({ hosts }) => hosts).join(', ')}`]),
  ];
}
