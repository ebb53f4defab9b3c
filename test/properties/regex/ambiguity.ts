import { type Automaton, automatonOf } from './automaton.ts';

/** How an expression may exceed linear time, with the text whose repetition slows it down. Null for linear expressions. */
export type Slowness = { growth: 'exponential' | 'polynomial'; pump: string };

/**
 * Searches an expression for ambiguity by which a backtracking engine takes more than linear time (Weber and Seidl,
 * "On the degree of ambiguity of finite automata"): one text that leads from a state back to itself in two ways
 * (exponential), or from a state to itself, to another and from there to itself (polynomial). The search for the beginning
 * of a match is a state like the others, so that `\s+$` counts as quadratic. A loop from which every text ends
 * in a match is harmless, because the match takes the text that was read. Long lookarounds are taken to hold and to fail.
 */
export function slownessOf(regex: Pick<RegExp, 'source' | 'flags'>): Slowness | null {
  const graph = new Configurations(automatonOf(regex));
  return exponential(graph) ?? polynomial(graph);
}

/** Pairs of a state and the letter it took last, numbered `state * letters + letter`, and the steps between them. */
class Configurations {
  readonly letterCount: number;
  readonly letters: string[];
  readonly steps: number[][];
  /** The steps that stay in their strongly connected component, and all steps, by letter. */
  readonly staying: Map<number, number[]>[];
  readonly leaving: Map<number, number[]>[];
  readonly component: number[];
  readonly cyclic: boolean[];
  readonly harmless: boolean[];
  /** The same among the configurations that are not harmless. */
  readonly risky: boolean[];
  readonly riskyComponent: number[];
  readonly looping: Map<number, number[]>[];
  private readonly automaton: Automaton;

  constructor(automaton: Automaton) {
    this.automaton = automaton;
    this.letters = automaton.letters;
    this.letterCount = automaton.letters.length;
    this.steps = this.allSteps();
    this.harmless = this.neverFailing();
    ({ component: this.component, cyclic: this.cyclic } = components(this.steps));
    const risky = this.steps.map((next, config) =>
      this.harmless[config] ? [] : next.filter((other) => !this.harmless[other]),
    );
    ({ component: this.riskyComponent, cyclic: this.risky } = components(risky));
    this.leaving = this.steps.map((next) => this.byLetter(next));
    this.staying = this.steps.map((next, config) =>
      this.byLetter(next.filter((other) => this.component[other] === this.component[config])),
    );
    this.looping = risky.map((next, config) =>
      this.byLetter(next.filter((other) => this.riskyComponent[other] === this.riskyComponent[config])),
    );
  }

  private byLetter(configs: number[]): Map<number, number[]> {
    return Map.groupBy(configs, (config) => this.letterOf(config));
  }

  stateOf(config: number): number {
    return Math.floor(config / this.letterCount);
  }

  letterOf(config: number): number {
    return config % this.letterCount;
  }

  private allSteps(): number[][] {
    const { takes, edges } = this.automaton;
    return takes.flatMap((row, state) =>
      row.map((taken, letter) => {
        if (!taken) return [];
        return (edges[state] ?? []).flatMap(({ to, before, after }) => {
          if (to === null || !before[letter]) return [];
          const next = takes[to] ?? [];
          return next.flatMap((open, other) => (open && after[other] ? [to * this.letterCount + other] : []));
        });
      }),
    );
  }

  /** Configurations from which every text ends in a match: the largest set closed under "some step stays in it". */
  private neverFailing(): boolean[] {
    const { edges, inLookaround, takes } = this.automaton;
    const safe = this.steps.map(
      (_, config) => !inLookaround[this.stateOf(config)] && this.stateOf(config) !== 0,
    );
    const goesOn = (config: number, next: number): boolean =>
      (edges[this.stateOf(config)] ?? []).some(({ to, before, after, certain }) => {
        if (!certain || !before[this.letterOf(config)] || !after[next]) return false;
        if (to === null) return true;
        return takes[to]?.[next] === true && safe[to * this.letterCount + next] === true;
      });
    for (let changed = true; changed; ) {
      changed = false;
      safe.forEach((is, config) => {
        if (!is || this.nexts().every((next) => goesOn(config, next))) return;
        safe[config] = false;
        changed = true;
      });
    }
    return safe;
  }

  private nexts(): number[] {
    return Array.from({ length: this.letterCount + 1 }, (_, next) => next);
  }
}

/** A cycle of pairs that leaves the diagonal and returns to it, or that takes one of two equal steps. */
function exponential(graph: Configurations): Slowness | null {
  const pairs = new Map<string, number>();
  const list: [number, number][] = [];
  const steps: number[][] = [];
  const idOf = (a: number, b: number): number => {
    const key = `${a} ${b}`;
    const known = pairs.get(key);
    if (known !== undefined) return known;
    pairs.set(key, list.length);
    return list.push([a, b]) - 1;
  };
  const doubled = new Set<number>();
  graph.risky.forEach((is, config) => {
    if (is && graph.stateOf(config) !== 0) idOf(config, config);
  });
  for (let pair = 0; pair < list.length; pair += 1) {
    const [a, b] = list[pair] as [number, number];
    steps[pair] = [];
    for (const [letter, xs] of graph.looping[a] ?? []) {
      for (const x of xs) for (const y of graph.looping[b]?.get(letter) ?? []) steps[pair]?.push(idOf(x, y));
    }
    if (a === b && hasRepeats(stayingSteps(graph, a))) doubled.add(pair);
  }
  const { component } = components(steps);
  const diagonal = new Map<number, number>();
  list.forEach(([a, b], pair) => {
    if (a === b) diagonal.set(component[pair] ?? -1, pair);
  });
  for (const [pair, [a, b]] of list.entries()) {
    const home = diagonal.get(component[pair] ?? -1);
    if (home === undefined) continue;
    if (a !== b) return { growth: 'exponential', pump: pathText(graph, { list, steps, from: pair }) };
    const twice =
      doubled.has(pair) &&
      repeated(stayingSteps(graph, a)).some((next) => component[idOf(next, next)] === component[pair]);
    if (twice) return { growth: 'exponential', pump: graph.letters[graph.letterOf(a)] ?? '' };
  }
  return null;
}

const stayingSteps = (graph: Configurations, config: number): number[] =>
  [...(graph.looping[config]?.values() ?? [])].flat();

const repeated = (values: number[]): number[] =>
  values.filter((value, index) => values.indexOf(value) !== index);
const hasRepeats = (values: number[]): boolean => new Set(values).size !== values.length;

/** The letters along the shortest way from a pair back to itself. */
function pathText(
  graph: Configurations,
  { list, steps, from }: { list: [number, number][]; steps: number[][]; from: number },
): string {
  const found = shortestPath(
    [from],
    (pair) => steps[pair] ?? [],
    (pair) => pair === from,
  );
  return (found ?? [])
    .map((pair) => graph.letters[graph.letterOf((list[pair] as [number, number])[0])])
    .join('');
}

/** A text w with p -w-> p, p -w-> q and q -w-> q, for a q that may fail in the end. */
function polynomial(graph: Configurations): Slowness | null {
  const loops = graph.cyclic.flatMap((is, config) => (is ? [config] : []));
  const states = Map.groupBy(loops, (config) => graph.stateOf(config));
  for (const [q, atQ] of states) {
    const unsafe = atQ.filter((config) => graph.risky[config]);
    if (q === 0 || unsafe.length === 0) continue;
    for (const p of states.keys()) {
      const starts = unsafe.flatMap((config) => {
        const atP = p * graph.letterCount + graph.letterOf(config);
        return p !== q && graph.cyclic[atP] ? [[atP, config] as const] : [];
      });
      if (starts.length === 0 || pumpBetween(graph, starts) === null) continue;
      // The way found may end with another letter than it began; only one that ends with the same can be repeated.
      const pump = starts.map((start) => pumpBetween(graph, [start])).find((text) => text !== null);
      if (pump !== undefined) return { growth: 'polynomial', pump };
    }
  }
  return null;
}

function pumpBetween(graph: Configurations, starts: (readonly [p: number, q: number])[]): string | null {
  const size = graph.steps.length;
  const key = (a: number, b: number, c: number): number => (a * size + b) * size + c;
  const goals = new Set(starts.map(([p, q]) => key(p, q, q)));
  const next = (triple: number): number[] => {
    const c = triple % size;
    const b = Math.floor(triple / size) % size;
    const a = Math.floor(triple / size / size);
    const found: number[] = [];
    for (const [letter, zs] of graph.looping[c] ?? []) {
      const ys = graph.leaving[b]?.get(letter) ?? [];
      for (const x of graph.staying[a]?.get(letter) ?? [])
        for (const y of ys) for (const z of zs) found.push(key(x, y, z));
    }
    return found;
  };
  const path = shortestPath(
    starts.map(([p, q]) => key(p, p, q)),
    next,
    (triple) => goals.has(triple),
  );
  return path === null ? null : path.map((triple) => graph.letters[graph.letterOf(triple % size)]).join('');
}

/** Nodes of the shortest way with at least one step, without the first; null where there is none. */
function shortestPath(
  from: number[],
  next: (node: number) => number[],
  isGoal: (node: number) => boolean,
): number[] | null {
  const cameFrom = new Map<number, number>();
  const starts = new Set(from);
  let level = from;
  while (level.length > 0) {
    const deeper: number[] = [];
    for (const node of level) {
      for (const other of next(node)) {
        if (isGoal(other)) {
          const path = [other];
          for (let at: number | undefined = node; at !== undefined && !starts.has(at); at = cameFrom.get(at))
            path.unshift(at);
          return path;
        }
        if (cameFrom.has(other) || starts.has(other)) continue;
        cameFrom.set(other, node);
        deeper.push(other);
      }
    }
    level = deeper;
  }
  return null;
}

/** Strongly connected components (Tarjan, without recursion); `cyclic` says which nodes lie on a cycle. */
function components(steps: number[][]): { component: number[]; cyclic: boolean[] } {
  const order: number[] = [];
  const low: number[] = [];
  const component: number[] = [];
  const cyclic: boolean[] = steps.map(() => false);
  const stack: number[] = [];
  let count = 0;
  const close = (node: number): void => {
    if (low[node] !== order[node]) return;
    const members: number[] = [];
    for (let member = -1; member !== node; ) {
      member = stack.pop() ?? node;
      component[member] = node;
      members.push(member);
    }
    const isCycle = members.length > 1 || (steps[node] ?? []).includes(node);
    for (const member of members) cyclic[member] = isCycle;
  };
  for (let root = 0; root < steps.length; root += 1) {
    if (order[root] !== undefined) continue;
    const frames: { node: number; at: number }[] = [];
    const enter = (node: number): void => {
      order[node] = low[node] = count++;
      stack.push(node);
      frames.push({ node, at: 0 });
    };
    enter(root);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { node } = frame;
      const next = steps[node]?.[frame.at++];
      if (next === undefined) {
        close(node);
        frames.pop();
        const parent = frames.at(-1)?.node;
        if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
      } else if (order[next] === undefined) enter(next);
      else if (component[next] === undefined) low[node] = Math.min(low[node] ?? 0, order[next] ?? 0);
    }
  }
  return { component, cyclic };
}
