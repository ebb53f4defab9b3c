import { lettersOf } from './letters.ts';
import { parseRegex, type RegexNode } from './parse-regex.ts';

/** Repetitions up to this number count as a constant; more of them count as a loop. */
export const REPEATS_CONSTANT_MAX = 256;
const PATHS_MAX = 20_000;

/**
 * The atoms of an expression as states, joined by what may follow what. State 0 is the search for the beginning of a
 * match: it takes every letter and stays where it is. A letter stands for all characters that no atom tells apart.
 */
export type Automaton = {
  /** An example of each letter. */
  letters: string[];
  /** Whether a state takes a letter. */
  takes: boolean[][];
  edges: Edge[][];
  /** States within a lookaround: they cost time whether or not a match follows. */
  inLookaround: boolean[];
};

/**
 * Which letters may stand before and after the step; the last index is the beginning or the end of the text. `to` is
 * null where the match ends. A step past a long lookaround is not `certain`.
 */
export type Edge = { to: number | null; before: boolean[]; after: boolean[]; certain: boolean };

type Condition = { side: 'before' | 'after'; source: string; wanted: boolean; atEdge: boolean };
type Arrow = { to: number; conditions: Condition[]; certain: boolean };
type Atom = { source: string; next: number; inLookaround: boolean };

/** The automaton of an expression. Throws where there are too many ways through it to follow. */
export function automatonOf(regex: Pick<RegExp, 'source' | 'flags'>): Automaton {
  const net = new Net(regex);
  const conditions = net.arrows.flat().flatMap((arrow) => arrow.conditions);
  const sources = [...net.atoms.map(({ source }) => source), ...conditions.map(({ source }) => source)];
  const { letters, takenBy } = lettersOf(sources, regex);
  return {
    letters,
    takes: net.atoms.map(({ source }) => takenBy(source)),
    edges: net.atoms.map(({ next }) => edgesFrom(net, next, takenBy)),
    inLookaround: net.atoms.map(({ inLookaround }) => inLookaround),
  };
}

/** Nodes and arrows between them (Thompson's construction); an atom sits on a node and leads to its `next`. */
class Net {
  readonly arrows: Arrow[][] = [];
  readonly atoms: Atom[] = [];
  readonly atomAt = new Map<number, number>();
  readonly end: number;
  private readonly groups: Map<string, RegexNode>;
  private readonly multiline: boolean;
  private lookarounds = 0;

  constructor(regex: Pick<RegExp, 'source' | 'flags'>) {
    const { root, groups } = parseRegex(regex);
    this.groups = groups;
    this.multiline = regex.flags.includes('m');
    this.end = this.node();
    const search = this.node();
    const stay = this.node();
    this.atomAt.set(stay, this.atoms.push({ source: '[^]', next: search, inLookaround: false }) - 1);
    this.link(search, stay);
    this.link(search, this.build(root, this.end));
  }

  /** Builds the node's part of the net in front of `then` and returns where it begins. */
  private build(node: RegexNode, then: number): number {
    switch (node.kind) {
      case 'atom':
        return this.atom(node.source, then);
      case 'sequence':
        return node.items.reduceRight((after, item) => this.build(item, after), then);
      case 'choice': {
        const begin = this.node();
        for (const option of node.options) this.link(begin, this.build(option, then));
        return begin;
      }
      case 'repeat':
        return this.repeat(node, then);
      case 'look':
        return this.look(node, then);
      case 'boundary':
        return this.boundary(node.at, then);
      case 'reference':
        return this.build(this.groups.get(node.name) ?? { kind: 'sequence', items: [] }, then);
    }
  }

  private atom(source: string, then: number): number {
    const begin = this.node();
    const inLookaround = this.lookarounds > 0;
    this.atomAt.set(begin, this.atoms.push({ source, next: then, inLookaround }) - 1);
    return begin;
  }

  private repeat({ body, min, max }: Extract<RegexNode, { kind: 'repeat' }>, then: number): number {
    if (max > REPEATS_CONSTANT_MAX) return this.loop(body, Math.min(min, 2), then);
    let begin = then;
    for (let copy = max; copy > 0; copy -= 1) {
      const inner = this.build(body, begin);
      if (copy <= min) begin = inner;
      else {
        begin = this.node();
        this.link(begin, inner);
        this.link(begin, then);
      }
    }
    return begin;
  }

  private loop(body: RegexNode, min: number, then: number): number {
    const again = this.node();
    const inner = this.build(body, again);
    this.link(again, inner);
    this.link(again, then);
    let begin = inner;
    if (min === 0) {
      begin = this.node();
      this.link(begin, inner);
      this.link(begin, then);
    }
    return min === 2 ? this.build(body, begin) : begin;
  }

  private look(look: Extract<RegexNode, { kind: 'look' }>, then: number): number {
    const begin = this.node();
    const { behind, negated, body } = look;
    if (body.kind === 'atom') {
      const side = behind ? 'before' : 'after';
      this.link(begin, then, [{ side, source: body.source, wanted: !negated, atEdge: negated }]);
      return begin;
    }
    this.arrows[begin]?.push({ to: then, conditions: [], certain: false });
    if (!isLoop(body)) return begin;
    this.lookarounds += 1;
    this.link(begin, this.build(body, this.node()));
    this.lookarounds -= 1;
    return begin;
  }

  private boundary(at: '^' | '$' | 'b' | 'B', then: number): number {
    const begin = this.node();
    if (at === '^' || at === '$') {
      const source = this.multiline ? '[\\n\\r\\u2028\\u2029]' : '[^\\s\\S]';
      this.link(begin, then, [{ side: at === '^' ? 'before' : 'after', source, wanted: true, atEdge: true }]);
      return begin;
    }
    for (const wordBefore of [true, false]) {
      const wordAfter = wordBefore === (at === 'B');
      this.link(begin, then, [
        { side: 'before', source: '\\w', wanted: wordBefore, atEdge: !wordBefore },
        { side: 'after', source: '\\w', wanted: wordAfter, atEdge: !wordAfter },
      ]);
    }
    return begin;
  }

  private node(): number {
    return this.arrows.push([]) - 1;
  }

  private link(from: number, to: number, conditions: Condition[] = []): void {
    this.arrows[from]?.push({ to, conditions, certain: true });
  }
}

/** Whether an expression has a part that repeats without a small bound. */
function isLoop(node: RegexNode): boolean {
  if (node.kind === 'repeat') return node.max > REPEATS_CONSTANT_MAX || isLoop(node.body);
  if (node.kind === 'look') return isLoop(node.body);
  if (node.kind === 'sequence') return node.items.some(isLoop);
  return node.kind === 'choice' && node.options.some(isLoop);
}

/** All ways from a node to atoms and to the end that take no letter; two ways to one atom are two edges. */
function edgesFrom(net: Net, from: number, takenBy: (source: string) => boolean[]): Edge[] {
  const found: Edge[] = [];
  const onPath = new Set<number>();
  let paths = 0;
  const walk = (node: number, edge: Edge): void => {
    paths += 1;
    if (paths > PATHS_MAX) throw new Error('too many ways through the expression');
    const atom = net.atomAt.get(node);
    if (atom !== undefined) found.push({ ...edge, to: atom });
    if (node === net.end) found.push({ ...edge, to: null });
    onPath.add(node);
    for (const { to, conditions, certain } of net.arrows[node] ?? []) {
      const next = conditions.reduce((so, condition) => narrowed(so, condition, takenBy), edge);
      const possible = next.before.includes(true) && next.after.includes(true);
      if (possible && !onPath.has(to)) walk(to, { ...next, certain: next.certain && certain });
    }
    onPath.delete(node);
  };
  const any = [...takenBy('[^]').map(() => true), true];
  walk(from, { to: null, before: any, after: any, certain: true });
  return found;
}

function narrowed(edge: Edge, condition: Condition, takenBy: (source: string) => boolean[]): Edge {
  const meets = [...takenBy(condition.source).map((taken) => taken === condition.wanted), condition.atEdge];
  return { ...edge, [condition.side]: edge[condition.side].map((open, letter) => open && meets[letter]) };
}
