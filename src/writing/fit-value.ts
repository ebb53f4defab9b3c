import type { WrittenField } from '../text/proof/prove-fields.ts';

/** A value made to fit its schema, the fields that hold something, and those that did not fit. */
type FittedValue = {
  value: unknown;
  fields: WrittenField[];
  misfits: { path: string; reason: string }[];
};

type Schema = Record<string, unknown>;

const DEPTH_MAX = 20;
const ITEMS_MAX = 200;
const TEXT_CHARS_MAX = 20_000;

/**
 * Makes a value of a model fit the caller's JSON schema: what has another type becomes null, what the schema does not name is left out.
 * Reads `type`, `properties`, `items`, `enum`, `const`, `anyOf`, `oneOf`, `allOf` and local `$ref`; other keywords are the model's affair.
 */
export function fitValue(value: unknown, schema: Schema): FittedValue {
  const fields: WrittenField[] = [];
  const misfits: FittedValue['misfits'] = [];
  const fit = (given: unknown, asked: Schema, at: { path: string; depth: number }): unknown => {
    const { path, depth } = at;
    const wanted = resolveSchema(asked, schema, given);
    if (given === null || given === undefined || depth > DEPTH_MAX) return null;
    const refuse = (reason: string): null => {
      misfits.push({ path, reason });
      return null;
    };
    if (!hasType(given, wanted)) return refuse(`is no ${describeType(wanted)}`);
    if (Array.isArray(given)) {
      if (given.length > ITEMS_MAX) refuse(`has only its first ${ITEMS_MAX} of ${given.length} items`);
      const items = isSchema(wanted.items) ? wanted.items : {};
      return given
        .slice(0, ITEMS_MAX)
        .map((item, place) => fit(item, items, { path: `${path}/${place}`, depth: depth + 1 }));
    }
    if (typeof given === 'object') {
      const named = isSchema(wanted.properties) ? wanted.properties : null;
      const names = named === null ? Object.keys(given).slice(0, ITEMS_MAX) : Object.keys(named);
      const entries = names.map((name): [string, unknown] => {
        const inner = named?.[name];
        const held = Object.hasOwn(given, name) ? (given as Schema)[name] : null;
        return [
          name,
          fit(held, isSchema(inner) ? inner : {}, { path: `${path}/${escapeName(name)}`, depth: depth + 1 }),
        ];
      });
      return Object.fromEntries(entries);
    }
    const choices = listChoices(wanted);
    if (choices !== null && !choices.includes(given)) return refuse('is none of the choices');
    if (typeof given === 'string' && given.length > TEXT_CHARS_MAX)
      return refuse(`has more than ${TEXT_CHARS_MAX} characters`);
    if (typeof given === 'string' && given.trim() === '') return null;
    fields.push({ path, value: given as WrittenField['value'], isChoice: choices !== null });
    return given;
  };
  return { value: fit(value, schema, { path: '', depth: 0 }), fields, misfits };
}

/** Returns the value without the fields at `paths`: null where they were, and without the items of lists. */
export function dropFields(value: unknown, paths: ReadonlySet<string>): unknown {
  const drop = (given: unknown, path: string): unknown => {
    if (paths.has(path)) return null;
    if (Array.isArray(given)) {
      const kept = given.map((item, place) => drop(item, `${path}/${place}`));
      return kept.filter((item) => !isEmpty(item));
    }
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(
      Object.entries(given).map(([name, inner]) => [name, drop(inner, `${path}/${escapeName(name)}`)]),
    );
  };
  return drop(value, '');
}

/** Returns whether nothing is left of a value. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  return Object.values(value).every(isEmpty);
}

/** RFC 6901 */
const escapeName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows a local reference and picks the alternative that the value fits. */
function resolveSchema(asked: Schema, root: Schema, given: unknown, depth = 0): Schema {
  if (depth > DEPTH_MAX) return {};
  if (typeof asked.$ref === 'string')
    return resolveSchema(findReferred(asked.$ref, root), root, given, depth + 1);
  const alternatives = [asked.anyOf, asked.oneOf].find(Array.isArray);
  if (alternatives !== undefined) {
    const resolved = alternatives.filter(isSchema).map((one) => resolveSchema(one, root, given, depth + 1));
    return resolved.find((one) => hasType(given, one)) ?? resolved[0] ?? {};
  }
  if (!Array.isArray(asked.allOf)) return asked;
  return asked.allOf
    .filter(isSchema)
    .reduce<Schema>((joined, one) => Object.assign(joined, resolveSchema(one, root, given, depth + 1)), {});
}

function findReferred(reference: string, root: Schema): Schema {
  const parts = reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '');
  const found = parts.reduce<unknown>((at, part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    return isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
  return isSchema(found) ? found : {};
}

function hasType(given: unknown, { type }: Schema): boolean {
  const types = [type].flat().filter((one) => typeof one === 'string');
  return types.length === 0 || types.some((one) => isOfType(given, one));
}

function isOfType(given: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(given);
  if (type === 'null') return given === null;
  if (type === 'object') return isSchema(given);
  if (type === 'integer') return Number.isSafeInteger(given);
  if (type === 'number') return Number.isFinite(given);
  return typeof given === type;
}

const describeType = ({ type }: Schema): string => [type].flat().join(' or ');

function listChoices(wanted: Schema): unknown[] | null {
  if (Array.isArray(wanted.enum)) return wanted.enum;
  return 'const' in wanted ? [wanted.const] : null;
}
