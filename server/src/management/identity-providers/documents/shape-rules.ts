import { required } from '../../../kernel/errors/field-errors.ts';

export const textOrNull = (value: string | null | undefined): string | null => {
  const text = value?.trim() ?? '';
  return text === '' ? null : text;
};

export function readText(field: string, value: string | null | undefined): string {
  const text = textOrNull(value);
  if (text === null) throw required(field);
  return text;
}

export const optional = <const Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [Key in Name]?: Value } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: Value });
