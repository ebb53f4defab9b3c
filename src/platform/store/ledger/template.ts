import type { Compilable, CompiledQuery } from 'kysely';
import type { LedgerQueries } from './procedure.ts';

/** Stands for a parameter while a query is built. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  [Symbol.toPrimitive](): never {
    throw new Error(`a template must not compute with its parameter ${this.name}`);
  }
}

/**
 * Creates a query that is built and compiled once per dialect, because building it costs more than running it.
 * `build` may only insert its parameters into the query, not compute with them or branch on them.
 */
export function createTemplate<Parameters extends object, Row>(
  build: (ledgerStore: LedgerQueries, parameters: Parameters) => Compilable<Row>,
): (ledgerStore: LedgerQueries, parameters: Parameters) => Compilable<Row> {
  const compiled = new WeakMap<LedgerQueries, CompiledQuery<Row>>();
  return (ledgerStore, parameters) => {
    const query = compiled.get(ledgerStore) ?? build(ledgerStore, createSlots<Parameters>()).compile();
    compiled.set(ledgerStore, query);
    return { compile: () => ({ ...query, parameters: query.parameters.map(fill(parameters)) }) };
  };
}

/** Creates an object whose every property is a slot of that name. */
function createSlots<Parameters extends object>(): Parameters {
  return new Proxy({} as Parameters, { get: (_, name) => new Slot(String(name)) });
}

function fill(parameters: object): (one: unknown) => unknown {
  return (one) => (one instanceof Slot ? parameters[one.name as keyof typeof parameters] : one);
}
