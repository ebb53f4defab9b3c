const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Names of elements in the groups that the tree construction of the HTML standard uses (HTML, 13.2.4 and 13.2.6). */
export const VOID: ReadonlySet<string> = words(
  'area base basefont bgsound br col embed hr img input keygen link meta param source track wbr',
);
/** Elements that end a paragraph when they begin. */
export const CLOSES_P: ReadonlySet<string> = words(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup ' +
    'main menu nav ol p search section summary ul',
);
/** Elements whose end tag ends what is open inside them. */
export const ENDS_BLOCK: ReadonlySet<string> = words(
  'address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer header ' +
    'hgroup listing main menu nav ol pre search section select summary ul',
);
export const FORMATTING: ReadonlySet<string> = words(
  'a b big code em font i nobr s small strike strong tt u',
);
export const HEADINGS: ReadonlySet<string> = words('h1 h2 h3 h4 h5 h6');
export const SPECIAL: ReadonlySet<string> = words(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd ' +
    'details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header ' +
    'hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ' +
    'ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot ' +
    'th thead title tr track ul wbr xmp',
);
/** Elements of SVG and MathML that count as special, and as the limits of scopes. */
export const SPECIAL_FOREIGN: ReadonlySet<string> = words(
  'mi mo mn ms mtext annotation-xml foreignobject desc title',
);
export const IMPLIED_END: ReadonlySet<string> = words('dd dt li optgroup option p rb rp rt rtc');
export const IMPLIED_END_THOROUGH: ReadonlySet<string> = words(
  'caption colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr',
);
export const HEAD_CONTENT: ReadonlySet<string> = words(
  'base basefont bgsound link meta noframes script style template title',
);
export const TABLE_PARTS: ReadonlySet<string> = words('caption col colgroup tbody td tfoot th thead tr');
/** Content in these goes before the table instead. */
export const TABLE_CONTEXT: ReadonlySet<string> = words('table tbody tfoot thead tr');

export const SCOPE: ReadonlySet<string> = words(
  'applet caption html table td th marquee object select template',
);
export const BUTTON_SCOPE: ReadonlySet<string> = new Set([...SCOPE, 'button']);
export const LIST_SCOPE: ReadonlySet<string> = new Set([...SCOPE, 'ol', 'ul']);
export const TABLE_SCOPE: ReadonlySet<string> = words('html table template');

/** HTML elements that end SVG and MathML. */
export const BREAKS_OUT: ReadonlySet<string> = words(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ' +
    'ol p pre ruby s small span strong strike sub sup table tt u ul var',
);
