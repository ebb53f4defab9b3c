/**
 * Reads from the texts of `style` elements which simple selectors hide what they match. A stylesheet is not computed: a rule counts only
 * where nothing in the same page could show the element again, so that texts which a click, a script or a wider window shows are kept.
 */

/** Names of one selector without combinators, such as `p.note#x`, all of which an element must have. */
type Compound = { tag: string; classes: string[]; id: string };

/** Selectors that hide, by their first class or id, and the names that some rule shows. */
type HidingRules = { byName: Map<string, Compound[]>; shown: Set<string> };

const CSS_CHARS_MAX = 300_000;
const RULES_MAX = 5_000;
/** Maximum selectors that begin with one name; further ones are not tried. */
const COMPOUNDS_MAX = 20;
const COMPOUND = /^([a-z][\w-]{0,40})?((?:[.#][\w-]{1,80}){1,4})$/i;
const NAMES = /[.#][\w-]{1,80}/g;
/** Maximum classes of an element that are compared. */
const CLASSES_MAX = 40;
/** At-rules around further rules; the bodies of others hold none for elements. */
const GROUPS = /^@(?:media|supports|layer|container|scope)/i;

/** Reads the rules of a page's `style` texts, in one pass over them. */
export function readHidingRules(texts: readonly string[]): HidingRules {
  const rules: HidingRules = { byName: new Map(), shown: new Set() };
  let left = RULES_MAX;
  for (const { selectors, isHiding, isConditional } of listRules(stripComments(texts.join('\n')))) {
    left -= 1;
    if (left < 0) break;
    for (const selector of selectors.split(',')) {
      if (!isHiding) addShownNames(selector.trim(), rules.shown);
      else if (!isConditional) addCompound(selector.trim(), rules.byName);
    }
  }
  return rules;
}

/** Returns whether a rule hides an element with these attributes. */
export function isHiddenByRule(tag: string, attributes: Record<string, string>, rules: HidingRules): boolean {
  const { byName, shown } = rules;
  const { class: list = '', id = '' } = attributes;
  const classes = list === '' ? [] : list.split(/\s+/, CLASSES_MAX);
  const isMatched = (name: string): boolean =>
    byName
      .get(name)
      ?.some(
        (wanted) =>
          (wanted.tag === '' || wanted.tag === tag) &&
          (wanted.id === '' || wanted.id === id) &&
          wanted.classes.every((each) => classes.includes(each)),
      ) === true;
  if (!classes.some((name) => isMatched(`.${name}`)) && !isMatched(`#${id}`)) return false;
  return !shown.has(`#${id}`) && !classes.some((name) => shown.has(`.${name}`));
}

type Rule = { selectors: string; isHiding: boolean; isConditional: boolean };

/** Lists the rules that set whether elements are displayed; those within groups hold only under a condition. */
function* listRules(css: string): Iterable<Rule> {
  const sign = /[{};]/g;
  const groups: boolean[] = [];
  let start = 0;
  for (let found = sign.exec(css); found !== null; found = sign.exec(css)) {
    const prelude = css.slice(start, found.index).trim();
    start = sign.lastIndex;
    if (found[0] === ';') continue;
    if (found[0] === '}') groups.pop();
    else if (GROUPS.test(prelude)) groups.push(/\bprint\b/i.test(prelude));
    else {
      const body = skipBlock(css, start);
      const isHiding = prelude.startsWith('@') ? null : readHiding(css.slice(start, body.declarations));
      sign.lastIndex = body.end;
      start = body.end;
      if (isHiding !== null && !groups.includes(true))
        yield { selectors: prelude, isHiding, isConditional: groups.length > 0 };
    }
  }
}

/** Finds the ends of a block's own declarations and of the block, past blocks nested in it. */
function skipBlock(css: string, start: number): { declarations: number; end: number } {
  const brace = /[{}]/g;
  brace.lastIndex = start;
  let declarations = css.length;
  let depth = 1;
  for (let found = brace.exec(css); found !== null; found = brace.exec(css)) {
    declarations = Math.min(declarations, found.index);
    depth += found[0] === '{' ? 1 : -1;
    if (depth === 0) return { declarations, end: brace.lastIndex };
  }
  return { declarations, end: css.length };
}

/** Reads whether declarations hide (true) or show (false); null when they say nothing about it. */
function readHiding(declarations: string): boolean | null {
  let hides: boolean | null = null;
  if (!declarations.includes('display') && !declarations.includes('visibility')) return null;
  for (const declaration of declarations.split(';')) {
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    if (property === 'display') hides = /^none\b/i.test(value);
    else if (property === 'visibility') hides = /^(?:hidden|collapse)\b/i.test(value);
  }
  return hides;
}

function addShownNames(selector: string, shown: Set<string>): void {
  const last = selector.slice(
    Math.max(...[' ', '>', '+', '~'].map((sign) => selector.lastIndexOf(sign))) + 1,
  );
  for (const [name] of last.matchAll(NAMES)) shown.add(name);
}

function addCompound(selector: string, byName: HidingRules['byName']): void {
  const [, tag = '', names = ''] = COMPOUND.exec(selector) ?? [];
  const [first, ...others] = names.match(NAMES) ?? [];
  if (first === undefined) return;
  const all = [first, ...others];
  const compound = {
    tag: tag.toLowerCase(),
    classes: all.filter((name) => name.startsWith('.')).map((name) => name.slice(1)),
    id: all.find((name) => name.startsWith('#'))?.slice(1) ?? '',
  };
  const known = byName.get(first) ?? [];
  if (known.length < COMPOUNDS_MAX) byName.set(first, [...known, compound]);
}

function stripComments(css: string): string {
  const bounded = css.slice(0, CSS_CHARS_MAX);
  const parts: string[] = [];
  let from = 0;
  for (let open = bounded.indexOf('/*'); open !== -1; open = bounded.indexOf('/*', from)) {
    parts.push(bounded.slice(from, open));
    const close = bounded.indexOf('*/', open + 2);
    from = close === -1 ? bounded.length : close + 2;
  }
  return parts.join('') + bounded.slice(from);
}
