import { all, ruled, type Settings, shown } from './proof.ts';

const TYPES = shown('schemas-custom', 'every type, with choices and their names');

// biome-ignore format: each setting is one line
export const ATTRIBUTES: Settings = {
  ...all('type enum items default maximum', TYPES),
  required: shown('schemas-custom', '%s', 'a value that is required'),
  minLength: shown('schemas-custom', '%s', 'a longer length'),
  maxLength: shown('schemas-custom', '%s', 'a shorter length'),
  pattern: shown('schemas-custom', '%s', 'a pattern'),
  format: shown('schemas-custom', '%s', 'a format'),
  minimum: ruled('management/schemas/profiles/check-profile', '%j by %o: one text per fault'),
  unique: shown('users-custom-attributes', 'no two users share a value, whatever its case; the refusal names the field'),
  mutability: shown('users-custom-attributes', 'what is read-only is refused, what is immutable is set once'),
  permissions: shown('users-custom-attributes', 'is left out of what they read, and no question about it is answered'),
  union: shown('app-users-profiles', 'values of several groups add up where it says so'),
  title: shown('pages-profile', 'what the schema leaves to users is a field, the rest stands there, what is hidden does not'),

  description: 'It is a text for administrators, shown with the attribute. No decision depends on it.',
  oneOf: 'It names the choices for readers of the schema. Pages show the values themselves.',
  scope: 'Whoever manages the users of an app writes its attributes, whatever the scope says.',
  master: 'This service is the only source of values.',
  ...all('externalName externalNamespace', 'No values with these names come from providers or go to apps yet.'),
};
