import { invalid } from './failure.ts';

/** Parameters as they came: `line_items[0][quantity]` is a path of three parts. */
export type Params = {
  /** Of one value, by its path without brackets: `line_items.0.quantity`. */
  text(path: string): string | null;
  whole(path: string): number | null;
  flag(path: string): boolean;
  /** Of a list or a map, by the path above it. */
  under(path: string): Record<string, string>;
  has(path: string): boolean;
  /** In a fixed order: equal parameters give equal text. */
  fingerprint(): string;
};

/** What an endpoint takes. In a path `#` stands for any place of a list, `*` for any name. */
export type Shape = { takes: string[]; needs?: string[] };

/** Reads nested parameters in the encoding of forms; refuses what the shape does not know, as Stripe does. */
export function readParams(form: string, shape: Shape): Params {
  const values = new Map<string, string>();
  for (const [key, value] of new URLSearchParams(form)) values.set(pathOf(key).join('.'), value);
  for (const path of values.keys()) checkKnown(path, shape);
  for (const path of shape.needs ?? []) {
    if (![...values.keys()].some((known) => known === path || known.startsWith(`${path}.`)))
      throw invalid(`Missing required param: ${path}.`, {
        code: 'parameter_missing',
        param: bracketed(path),
      });
  }
  const text = (path: string): string | null => values.get(path) ?? null;
  return {
    text,
    whole(path) {
      const value = text(path);
      if (value === null) return null;
      if (!/^-?\d+$/.test(value))
        throw invalid(`Invalid integer: ${value}`, {
          code: 'parameter_invalid_integer',
          param: bracketed(path),
        });
      return Number(value);
    },
    flag: (path) => text(path) === 'true',
    under: (path) =>
      Object.fromEntries(
        [...values]
          .filter(([known]) => known.startsWith(`${path}.`))
          .map(([known, value]) => [known.slice(path.length + 1), value]),
      ),
    has: (path) => [...values.keys()].some((known) => known === path || known.startsWith(`${path}.`)),
    fingerprint: () => JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function pathOf(key: string): string[] {
  const open = key.indexOf('[');
  if (open === -1) return [key];
  return [key.slice(0, open), ...key.slice(open + 1, -1).split('][')];
}

function bracketed(path: string): string {
  const [first = '', ...rest] = path.split('.');
  return first + rest.map((part) => `[${part}]`).join('');
}

/** The name that a refusal tells is the shortest beginning that no parameter has. */
function checkKnown(path: string, { takes }: Shape): void {
  const parts = path.split('.');
  for (let length = 1; length <= parts.length; length++) {
    const beginning = parts.slice(0, length);
    if (takes.some((taken) => fits(beginning, taken.split('.'), length === parts.length))) continue;
    const param = bracketed(beginning.join('.'));
    throw invalid(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
  }
}

function fits(beginning: string[], taken: string[], isWhole: boolean): boolean {
  if (isWhole ? beginning.length !== taken.length : beginning.length > taken.length) return false;
  return beginning.every((part, at) => {
    const wanted = taken[at];
    return wanted === '*' || (wanted === '#' ? /^\d+$/.test(part) : wanted === part);
  });
}
