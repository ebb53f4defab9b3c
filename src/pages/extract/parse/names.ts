const parseNames = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Names of elements in the groups that the tree construction of the HTML standard uses (HTML, 13.2.4 and 13.2.6). */
export const VOID: ReadonlySet<string> = parseNames(
  'area base basefont bgsound br col embed hr img input keygen link meta param source track wbr',
);
/** Elements that end a paragraph when they begin. */
export const CLOSES_P: ReadonlySet<string> = parseNames(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup ' +
    'main menu nav ol p search section summary ul',
);
/** Elements whose end tag closes the elements open inside them. */
export const ENDS_BLOCK: ReadonlySet<string> = parseNames(
  'address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer header ' +
    'hgroup listing main menu nav ol pre search section select summary ul',
);
export const FORMATTING: ReadonlySet<string> = parseNames(
  'a b big code em font i nobr s small strike strong tt u',
);
export const HEADINGS: ReadonlySet<string> = parseNames('h1 h2 h3 h4 h5 h6');
export const SPECIAL: ReadonlySet<string> = parseNames(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd ' +
    'details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header ' +
    'hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ' +
    'ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot ' +
    'th thead title tr track ul wbr xmp',
);
/** Elements of SVG and MathML that count as special, and as the limits of scopes. */
export const SPECIAL_FOREIGN: ReadonlySet<string> = parseNames(
  'mi mo mn ms mtext annotation-xml foreignobject desc title',
);
export const IMPLIED_END: ReadonlySet<string> = parseNames('dd dt li optgroup option p rb rp rt rtc');
export const IMPLIED_END_THOROUGH: ReadonlySet<string> = parseNames(
  'caption colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr',
);
export const HEAD_CONTENT: ReadonlySet<string> = parseNames(
  'base basefont bgsound link meta noframes script style template title',
);
export const TABLE_PARTS: ReadonlySet<string> = parseNames('caption col colgroup tbody td tfoot th thead tr');
/** Elements whose stray content is put before the table. */
export const TABLE_CONTEXT: ReadonlySet<string> = parseNames('table tbody tfoot thead tr');

export const SCOPE: ReadonlySet<string> = parseNames(
  'applet caption html table td th marquee object select template',
);
export const BUTTON_SCOPE: ReadonlySet<string> = new Set([...SCOPE, 'button']);
export const LIST_SCOPE: ReadonlySet<string> = new Set([...SCOPE, 'ol', 'ul']);
export const TABLE_SCOPE: ReadonlySet<string> = parseNames('html table template');

/** HTML elements that end SVG and MathML. */
export const BREAKS_OUT: ReadonlySet<string> = parseNames(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ' +
    'ol p pre ruby s small span strong strike sub sup table tt u ul var',
);
