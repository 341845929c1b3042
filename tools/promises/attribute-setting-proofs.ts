import { all, ruled, type Settings, shown } from './proof.ts';

const TYPES = shown('schemas-custom', 'every type, with choices and their names');

/** Settings that define an attribute of a profile. */
// biome-ignore format: the columns are the documentation
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

  description: 'It is a text for administrators: it is shown with the attribute, and decides nothing.',
  oneOf: 'It names the choices to whoever reads the schema: pages show the values themselves.',
  scope: 'Attributes of an app are written by who manages its users, whatever the scope says.',
  master: 'Values have one source, which is this service: nothing else writes them by itself.',
  ...all('externalName externalNamespace', 'Nothing comes from providers or goes to apps yet that would have these names.'),
};
