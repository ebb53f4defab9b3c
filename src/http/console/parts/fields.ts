import { validationFailure } from '../../calls/wire.ts';

/** The text of a field without the spaces around it; null if it is empty. Throws `Failure('validation_error')`. */
export function textIn(form: URLSearchParams, name: string, charsMax = 500): string | null {
  const text = (form.get(name) ?? '').trim();
  if (text.length > charsMax) throw refused(name, `must have at most ${charsMax} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw refused(name, 'must be one line of text');
  return text === '' ? null : text;
}

/** The text of a field that must not be empty. Throws `Failure('validation_error')`. */
export function wantedText(form: URLSearchParams, name: string, charsMax?: number): string {
  const text = textIn(form, name, charsMax);
  if (text === null) throw refused(name, 'must not be empty');
  return text;
}

/** A whole number; null if the field is empty. Throws `Failure('validation_error')`. */
export function numberIn(
  form: URLSearchParams,
  name: string,
  { min, max }: { min: number; max: number },
): number | null {
  const text = textIn(form, name);
  if (text === null) return null;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw refused(name, `must be a whole number from ${min} to ${max.toLocaleString('en')}`);
}

/** Throws `Failure('validation_error')` about one field. */
export function refused(field: string, message: string): Error {
  return validationFailure([{ field, message }]);
}
