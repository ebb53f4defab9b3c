import { hasEmptyMount } from './extract/hydration/page-states.ts';
import { parseTree } from './extract/parse/build-tree.ts';

/** The parts of an HTML page that decide whether it is a block page. */
export type BlockPageInput = { status: number; html: string; title: string; markdown: string };
type BlockPageKind = 'bot_check' | 'denied' | 'login' | 'consent' | 'script_only';

/** A page with this much text is never a block page. */
const SHORT_CHARS_MAX = 1_500;
const VERY_SHORT_CHARS_MAX = 600;
const SHELL_CHARS_MAX = 300;
/** Markers are searched for in the first characters of the source. */
const MARKED_CHARS_MAX = 400_000;

/** Complete titles of challenge pages. */
const BOT_TITLES =
  /^(?:just a moment\.*|attention required!.*cloudflare|checking your browser.*|please wait\.*( \|.*)?|one moment, please\.*|ddos-guard|access to this page has been denied\.?|are you (?:a )?(?:human|robot)\??|(?:bot|human) verification|robot check|security check(?:point)?|vercel security checkpoint|verify(?:ing)? (?:that )?you(?:'|’)?(?:re| are) (?:a )?human.*|pardon our interruption\.*|making sure you(?:'|’)re not a bot!?|client challenge|captcha|human verification.*|amazon\.com\s*-\s*captcha)$/i;

/** Traces of challenge vendors in the source; each occurs on challenge pages, some on ordinary pages too. */
const CHALLENGE_SOURCE =
  /_cf_chl_opt|cf-browser-verification|id="challenge-(?:form|running|error-text)"|captcha-delivery\.com|id="px-captcha"|window\._pxAppId|awswaf(?:-captcha|\.com\/[^"]{0,200}challenge)|AwsWafIntegration|gokuProps|_Incapsula_Resource|\/distil_r_captcha|id="anubis_challenge"|\/\.within\.website\/x\/cmd\/anubis|sec-if-cpt-container|ak-challenge|geo\.captcha-delivery|ddos-guard\/js-challenge|KPSDK/i;

/** Words of challenge pages; they count only on short pages, together with a trace, a refusal or a captcha. */
const CHALLENGE_WORDS =
  /(?:verify(?:ing)?|confirm|prove|making sure|check(?:ing)?)[^.]{0,40}(?:you(?:'|’)?(?: are|re)|your browser|not a (?:bot|robot)|human)|unusual traffic|press (?:&|and) hold|enable (?:javascript and )?cookies to continue|complete the (?:security check|captcha)|(?:are|not) a robot|automated (?:access|requests|queries)|incapsula incident|request unsuccessful/i;
const CAPTCHA_SOURCE =
  /class="[^"]{0,200}\b(?:g-recaptcha|h-captcha|cf-turnstile)\b|(?:hcaptcha\.com|recaptcha)\/(?:1\/)?(?:api|enterprise)\.js/i;

const DENIED_TITLE =
  /^(?:access denied|403 forbidden|forbidden|request (?:blocked|rejected)|you have been blocked|blocked)\.?$/i;
const DENIED_WORDS =
  /reference #?\s*[\da-f]|edgesuite|ray id|incident id|(?:don't|do not) have permission to access|you have been blocked|support id is/i;

const LOGIN_TITLE =
  /^(?:(?:please )?(?:log|sign)[ -]?in(?:to)?|login page|anmelden|connexion|iniciar sesión|authentication required)\b.{0,60}$|\b(?:log|sign) in$/i;
const LOGIN_WORDS =
  /(?:you must|you need to|please|log in or) (?:be )?(?:log(?:ged)?|sign(?:ed)?)[ -]?(?:in|up)|(?:forgot|reset)(?: your)? password|sign in (?:to|with)|log ?in to (?:continue|your)/i;
const PASSWORD_FIELD = /<input\b[^<>]*\btype\s*=\s*["']?password/i;

const CONSENT_TITLE =
  /^(?:before you continue|cookie (?:consent|wall)|your (?:privacy|data) (?:choices|settings)|privacy (?:settings|gate)|(?:we|wir) (?:value|respect) your privacy|datenschutzeinstellungen)\b/i;
const CONSENT_SOURCE =
  /consent\.(?:google|youtube|yahoo)\.com|guce\.|sourcepoint|privacy-mgmt|consent-(?:page|form|wall)|cookiewall/i;
const CONSENT_CHOICE = /accept all|reject all|agree|i accept|alle akzeptieren|tout accepter/i;
const CONSENT_SUBJECT = /cookie|partners|privacy/i;

const SCRIPT_WORDS =
  /(?:enable|activate|turn on|requires?|needs?|without) (?:\w+ ){0,3}?javascript|javascript (?:is|has been|must be|to be) (?:\w+ )?(?:required|disabled|enabled|turned off)|javascript is not (?:available|enabled)|does(?:n't| not) work (?:properly )?without javascript|aktivieren sie javascript|activer javascript/i;

/**
 * Returns the kind of block page, or null for an ordinary page. Block pages are short, so a long text is never one; a short text needs
 * two signs that agree. A "not found" page with status 200 is not a block page.
 */
export function detectBlockPage({ status, html, title, markdown }: BlockPageInput): BlockPageKind | null {
  const text = markdown.trim();
  if (text.length > SHORT_CHARS_MAX) return null;
  const source = html.slice(0, MARKED_CHARS_MAX);
  const name = title.trim();
  if (isBotCheck({ status, source, name, text })) return 'bot_check';
  if (text.length > VERY_SHORT_CHARS_MAX) return null;
  if (
    DENIED_TITLE.test(name) &&
    (isRefusalStatus(status) || DENIED_WORDS.test(`${text} ${extractVisibleText(source)}`))
  )
    return 'denied';
  if (LOGIN_TITLE.test(name) && PASSWORD_FIELD.test(source)) return 'login';
  if (PASSWORD_FIELD.test(source) && LOGIN_WORDS.test(text) && text.length < 300) return 'login';
  if (CONSENT_TITLE.test(name) && (containsConsentRequest(text) || CONSENT_SOURCE.test(source)))
    return 'consent';
  if (CONSENT_SOURCE.test(source) && containsConsentRequest(text) && countLinks(source) < 15)
    return 'consent';
  return isScriptOnly(source, text) ? 'script_only' : null;
}

type Signs = { status: number; source: string; name: string; text: string };

function isBotCheck({ status, source, name, text }: Signs): boolean {
  if (BOT_TITLES.test(name)) {
    return (
      isRefusalStatus(status) ||
      CHALLENGE_SOURCE.test(source) ||
      CAPTCHA_SOURCE.test(source) ||
      text.length < 300
    );
  }
  const few = text.length < VERY_SHORT_CHARS_MAX;
  if (CHALLENGE_SOURCE.test(source) && few) {
    return text.length < 80 ? countLinks(source) < 10 : CHALLENGE_WORDS.test(text) || isRefusalStatus(status);
  }
  return (
    few &&
    CHALLENGE_WORDS.test(text) &&
    (isRefusalStatus(status) || CAPTCHA_SOURCE.test(source)) &&
    countLinks(source) < 15
  );
}

/** The contents of a `noscript`, after its name. */
const NOTICE = /^[^<>]*>([\s\S]{0,2000}?)<\/noscript>/i;

/** Checks whether the page only asks for JavaScript, in its text or in `noscript`, and shows nothing else. */
function isScriptOnly(source: string, text: string): boolean {
  if (text.length > 300) return false;
  if (SCRIPT_WORDS.test(text)) return true;
  const notices = source.split(/<noscript\b/i).slice(1);
  const asked = notices.some((notice) => SCRIPT_WORDS.test(stripTags(NOTICE.exec(notice)?.[1] ?? '')));
  return asked && text.length < 80 && countVisibleChars(source) < SHELL_CHARS_MAX;
}

const isRefusalStatus = (status: number): boolean =>
  status === 401 || status === 403 || status === 429 || status === 503;

const containsConsentRequest = (text: string): boolean =>
  CONSENT_CHOICE.test(text) && CONSENT_SUBJECT.test(text);

const countLinks = (source: string): number => source.match(/<a\s/gi)?.length ?? 0;

const stripTags = (html: string): string => html.replace(/<[^<>]*>/g, ' ');

const extractVisibleText = (source: string): string => stripTags(source.slice(0, 20_000));

/** Counts the visible characters of the source, including text that is not content. */
function countVisibleChars(source: string): number {
  return stripTags(stripHiddenElements(source)).replace(/\s+/g, ' ').trim().length;
}

/** Removes elements that are never shown; an unclosed element stays. */
function stripHiddenElements(source: string): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const { 1: tag = '', index } of source.matchAll(HIDDEN_OPENING)) {
    const name = tag.toLowerCase();
    if (index < from || unclosed.has(name)) continue;
    const end = HIDDEN_CLOSINGS[name] ?? /(?!)/g;
    end.lastIndex = index;
    if (end.test(source)) {
      kept.push(source.slice(from, index));
      from = end.lastIndex;
    } else unclosed.add(name);
  }
  return [...kept, source.slice(from)].join(' ');
}
const HIDDEN_OPENING = /<(script|style|noscript|template|svg|head)\b/gi;
const HIDDEN_CLOSINGS: Record<string, RegExp> = {
  script: /<\/script\s*>/gi,
  style: /<\/style\s*>/gi,
  noscript: /<\/noscript\s*>/gi,
  template: /<\/template\s*>/gi,
  svg: /<\/svg\s*>/gi,
  head: /<\/head\s*>/gi,
};

/** A page with more text than this shows content without its scripts. */
const TEXT_CHARS_MAX = 200;
/** A page with scripts and less text than this counts as an empty shell. */
const TEXT_CHARS_FEW = 80;
const SCRIPT = /<script\b[^<>]{0,300}>/gi;
const OF_DATA = /\btype=["']?(?:application\/(?:ld\+)?json|text\/template)/i;
/** Maximum number of script tags that are examined. */
const SCRIPTS_MAX = 50;
const WAITING = /^(?:[#*\s]*)(?:loading|please wait|one moment|wird geladen|chargement|cargando)\b/i;

/**
 * Checks whether HTML is an empty shell: next to no text, scripts, and an element that waits to be filled, a "loading" message, or
 * nothing at all.
 */
export function isEmptyShell(html: string, markdown: string): boolean {
  const text = markdown
    .replace(/\]\([^()\s]{0,2000}\)/g, '')
    .replace(/[[\]!\s]+/g, ' ')
    .trim();
  if (text.length > TEXT_CHARS_MAX || !hasScripts(html)) return false;
  return text.length < TEXT_CHARS_FEW || WAITING.test(text) || hasEmptyMount(parseTree(html).root);
}

function hasScripts(html: string): boolean {
  let count = 0;
  for (const [tag] of html.matchAll(SCRIPT)) {
    if (!OF_DATA.test(tag)) return true;
    count += 1;
    if (count >= SCRIPTS_MAX) return false;
  }
  return false;
}
