import type { Compilable, CompiledQuery } from 'kysely';
import type { BooksQueries } from './procedure.ts';

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
 * A query of one shape that runs all the time: built and compiled once for each dialect, since that costs more than to run it.
 * `build` may only put its parameters into the query, not compute with them or branch on them.
 */
export function template<Parameters extends object, Row>(
  build: (books: BooksQueries, parameters: Parameters) => Compilable<Row>,
): (books: BooksQueries, parameters: Parameters) => Compilable<Row> {
  const compiled = new WeakMap<BooksQueries, CompiledQuery<Row>>();
  return (books, parameters) => {
    const query = compiled.get(books) ?? build(books, slotsFor<Parameters>()).compile();
    compiled.set(books, query);
    return { compile: () => ({ ...query, parameters: query.parameters.map(fill(parameters)) }) };
  };
}

/** Whatever is read from it is a slot of that name. */
function slotsFor<Parameters extends object>(): Parameters {
  return new Proxy({} as Parameters, { get: (_, name) => new Slot(String(name)) });
}

function fill(parameters: object): (one: unknown) => unknown {
  return (one) => (one instanceof Slot ? parameters[one.name as keyof typeof parameters] : one);
}
