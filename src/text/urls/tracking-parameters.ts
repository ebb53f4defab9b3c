/**
 * Parameters that say where a visitor came from and never which page is meant. No site answers differently without them, so they
 * are removed from fetched addresses as well as from the keys by which pages are compared.
 */
const TRACKING = [
  ...['utm_\\w+', 'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'twclid', 'yclid'],
  ...['igshid', 'mc_cid', 'mc_eid', '_ga', '_gl', '_hsenc', '_hsmi', 'mkt_tok', 'oly_anon_id', 'oly_enc_id'],
  ...['vero_id', 'ref_src', 'ref_url', 'phpsessid', 'jsessionid'],
];

/** Removed from fetched addresses, kept in keys. */
const FETCHED_ONLY = ['wickedid'];

/** Removed from keys, kept in fetched addresses: without them a site may refuse, or choose another page. */
const KEYS_ONLY = [
  ...[
    'utm_.*',
    '_hs.*',
    'hs(?:cta|a_).*',
    'pk_.*',
    'mtm_.*',
    'matomo_.*',
    'piwik_.*',
    '[wft]clid',
    'igshid?',
  ],
  ...[
    'at_(?:medium|campaign|custom\\d|recipient.*)',
    'li_fat_id',
    'vero_conv',
    's_cid',
    'cmpid',
    'campaign_?id',
  ],
  ...['ref', 'ref(?:src|url)', 'referrer', 'source', 'src', 'ncid', 'icid', 'spm', 'scm', 'si', 'feature'],
  ...['trk', 'trk(?:Info|Campaign)', 'share(?:_?id|d)?', 'fb_(?:action|source|ref).*', '_openstat'],
  ...['wt_(?:mc|zmc)', 'zanpid', 'amp', 'output(?:type)?', 'session_?id', 'sid', 'cfid', 'cftoken'],
];

/** Parameters of `KEYS_ONLY` that select the page unless they have one of these values. */
const TRACKING_VALUES: Record<string, RegExp> = {
  amp: /^(?:1|true|)$/i,
  output: /^amp$/i,
  outputtype: /^amp$/i,
  source:
    /^(?:[a-z]*--.*|rss|feed|twitter|x|facebook|linkedin|reddit|newsletter|email|share|social|google)$/is,
  src: /^(?:rss|feed|twitter|facebook|linkedin|reddit|newsletter|email|share|social|google)$/is,
  feature: /^(?:share|youtu\.be|emb_.*)$/i,
};

const buildNamePattern = (names: string[]): RegExp => new RegExp(`^(?:${names.join('|')})$`, 'i');
const IN_KEYS = buildNamePattern([...TRACKING, ...KEYS_ONLY]);
const IN_FETCHED = buildNamePattern([...TRACKING, ...FETCHED_ONLY]);

/** True when a parameter says where a visitor came from rather than which page is meant. */
export function isTracking(name: string, value: string): boolean {
  if (!IN_KEYS.test(name)) return false;
  const values = TRACKING_VALUES[name.toLowerCase()];
  return values === undefined || values.test(value);
}

/** True when every site answers the same without the parameter. */
export function isNeverNeeded(name: string): boolean {
  return IN_FETCHED.test(name);
}
