import { copyString } from '../own-string.ts';
import { NO_ATTRIBUTES, type TreeElement } from '../table-shape.ts';
import { createPatternSet } from './patterns/pattern-set.ts';

/** Hints that a class, id, role or tag gives about an element, one bit each; an element may have several. */
export const HINTS = {
  navigation: 1 << 0,
  header: 1 << 1,
  footer: 1 << 2,
  aside: 1 << 3,
  related: 1 << 4,
  share: 1 << 5,
  advert: 1 << 6,
  consent: 1 << 7,
  subscribe: 1 << 8,
  comment: 1 << 9,
  article: 1 << 10,
  main: 1 << 11,
  content: 1 << 12,
  breadcrumb: 1 << 13,
  pagination: 1 << 14,
  byline: 1 << 15,
  tags: 1 << 16,
  login: 1 << 17,
  search: 1 << 18,
  product: 1 << 19,
  card: 1 << 20,
  post: 1 << 21,
  form: 1 << 22,
  modal: 1 << 23,
  toc: 1 << 24,
  caption: 1 << 25,
  price: 1 << 26,
  description: 1 << 27,
  review: 1 << 28,
  edit: 1 << 29,
  /** Hidden until a click. */
  folded: 1 << 30,
} as const;

const matchHints = createPatternSet([
  [HINTS.navigation, /\bnav|menu|navbar|topbar|sitemap|megamenu|drawer|language-?(?:switch|select)/],
  [HINTS.header, /header|masthead|banner|site-?head|page-?head/],
  [HINTS.footer, /footer|foot\b|colophon|copyright|legal|disclaimer/],
  [HINTS.aside, /sidebar|side-?bar|\baside|rail\b|side-?col|widget|secondary|complementary/],
  [
    HINTS.related,
    /related|recommend|similar|also-?like|you-?may|more-?(?:from|stories|posts|articles|news)|read-?(?:more|next)|up-?next|trending|popular|most-?read|upsell|cross-?sell|recently|suggest|outbrain|taboola|promo|teaser/,
  ],
  [HINTS.share, /share|sharing|social|follow-?us|addthis|addtoany|facebook|twitter|whatsapp|pinterest/],
  [HINTS.advert, /\bads?\b|\bad-|-ad\b|advert|sponsor|dfp|google-?ad|affiliate/],
  [HINTS.consent, /cookie|consent|gdpr|onetrust|ccpa|privacy-?(?:banner|bar)/],
  [HINTS.subscribe, /newsletter|subscri|sign-?up|mailing|mailchimp|optin|opt-in|paywall|donat/],
  [HINTS.comment, /comment|disqus|discussion|\breply|replies|respond/],
  [HINTS.article, /article|blog-?post|story|entry/],
  [HINTS.main, /\bmain\b|main-?content|page-?content|site-?content|primary/],
  [HINTS.content, /content|body|text|prose|markdown|rich-?text|rte|wysiwyg|copy\b|paragraph|document/],
  [HINTS.breadcrumb, /breadcrumb|crumb/],
  [HINTS.pagination, /paginat|pager|page-?numbers|prev-?next|next-?prev|post-?nav/],
  [HINTS.byline, /byline|author|\bmeta\b|meta-|-meta|date|publish|posted|timestamp|\btime/],
  [HINTS.tags, /\btags?\b|tag-|-tags?\b|categor|keyword|topics?\b|labels?\b/],
  [HINTS.login, /login|log-in|signin|sign-in|account|register|user-?menu/],
  [HINTS.search, /search|filter|facet|\bsort|refine/],
  [HINTS.product, /product|\bsku|\bpdp|item-?(?:detail|info)|listing/],
  [HINTS.card, /card|tile|grid|carousel|slider|slick|swiper|\bitem|thumb|gallery/],
  [HINTS.post, /\bpost|message|thread|topic|answer|question|bubble|forum/],
  [HINTS.form, /form|input|field|checkbox|dropdown|\bselect|button|\bbtn|\bcta/],
  [HINTS.modal, /modal|popup|pop-up|overlay|dialog|lightbox|tooltip|toast|alert|notification|notice/],
  [HINTS.toc, /\btoc\b|table-?of-?contents|on-?this-?page|outline/],
  [HINTS.caption, /caption|credit|figure|image|photo|media/],
  [HINTS.price, /price|\bcart|basket|checkout|\bbuy|wishlist|stock|quantity|shipping|delivery|payment/],
  [HINTS.description, /descri|summary|intro|excerpt|detail|spec|feature|overview|about|info|tab/],
  [HINTS.review, /review|rating|stars?\b|testimonial|feedback/],
  [HINTS.edit, /edit|headerlink|anchor|permalink|toolbar|print|copy-?(?:button|link)|skip/],
]);

const TAGS = new Map<string, number>(
  Object.entries({
    nav: HINTS.navigation,
    header: HINTS.header,
    footer: HINTS.footer,
    aside: HINTS.aside,
    article: HINTS.article,
    main: HINTS.main,
    form: HINTS.form,
    button: HINTS.form,
    dialog: HINTS.modal,
    figcaption: HINTS.caption,
    time: HINTS.byline,
  }),
);
const ROLES = new Map<string, number>(
  Object.entries({
    navigation: HINTS.navigation,
    menu: HINTS.navigation,
    menubar: HINTS.navigation,
    banner: HINTS.header,
    contentinfo: HINTS.footer,
    complementary: HINTS.aside,
    article: HINTS.article,
    main: HINTS.main,
    form: HINTS.form,
    search: HINTS.search,
    dialog: HINTS.modal,
    alertdialog: HINTS.modal,
  }),
);

/** Maximum characters read of a name; the rest of a longer one is style noise (dozens of utility classes). */
const NAME_CHARS_MAX = 160;
const seen = new Map<string, number>();
const SEEN_MAX = 20_000;

/** Detects the hints that an element's own tag, role, class and id give, as bits. */
export function detectHints({ tag, attributes, parent }: TreeElement): number {
  // The footer of a quotation names its author.
  let bits = tag === 'footer' && parent?.tag === 'blockquote' ? 0 : (TAGS.get(tag) ?? 0);
  if (attributes === NO_ATTRIBUTES) return bits;
  const { class: classes, id, role } = attributes;
  if (role !== undefined) bits |= ROLES.get(role) ?? 0;
  if (classes !== undefined) bits |= detectNameHints(classes);
  if (id !== undefined) bits |= detectNameHints(id);
  return bits;
}

/** Caches the hints of each name, since names repeat within a page and a site. */
function detectNameHints(raw: string): number {
  const start = raw.length > NAME_CHARS_MAX ? raw.slice(0, NAME_CHARS_MAX) : raw;
  const known = seen.get(start);
  if (known !== undefined) return known;
  const name = start
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
  const bits = matchHints(name);
  if (seen.size >= SEEN_MAX) seen.clear();
  seen.set(copyString(start), bits);
  return bits;
}
