import { createValidationFailure } from '../../calls/json-body.ts';

/** Reads the trimmed text of a field; null if it is empty. Throws `Failure('validation_error')`. */
export function readFormText(form: URLSearchParams, name: string, charsMax = 500): string | null {
  const text = (form.get(name) ?? '').trim();
  if (text.length > charsMax) throw createFieldFailure(name, `must have at most ${charsMax} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw createFieldFailure(name, 'must be one line of text');
  return text === '' ? null : text;
}

/** Reads the text of a field that must not be empty. Throws `Failure('validation_error')`. */
export function readRequiredText(form: URLSearchParams, name: string, charsMax?: number): string {
  const text = readFormText(form, name, charsMax);
  if (text === null) throw createFieldFailure(name, 'must not be empty');
  return text;
}

/** Reads a whole number; null if the field is empty. Throws `Failure('validation_error')`. */
export function readFormNumber(
  form: URLSearchParams,
  name: string,
  { min, max }: { min: number; max: number },
): number | null {
  const text = readFormText(form, name);
  if (text === null) return null;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw createFieldFailure(name, `must be a whole number from ${min} to ${max.toLocaleString('en')}`);
}

/** Returns a `Failure('validation_error')` about one field. */
export function createFieldFailure(field: string, message: string): Error {
  return createValidationFailure([{ field, message }]);
}
