import { required } from '../../../kernel/errors/field-errors.ts';

/** Returns the trimmed text, or null if it is absent or blank. */
export const textOrNull = (value: string | null | undefined): string | null => {
  const text = value?.trim() ?? '';
  return text === '' ? null : text;
};

/** Returns the trimmed text. Throws 400 E0000001 if it is absent or blank. */
export function readText(field: string, value: string | null | undefined): string {
  const text = textOrNull(value);
  if (text === null) throw required(field);
  return text;
}

/** Returns an object with one member, or an empty object if there is no value. */
export const optional = <const Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [Key in Name]?: Value } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: Value });
