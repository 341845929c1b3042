import { CONDITIONAL_PERMISSIONS, CUSTOM_PERMISSIONS } from '../../../access/index.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import type { AttributeCondition } from '../../../kernel/words/held-role.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import type { PermissionInput } from '../contract.ts';

const MAXIMUM_ATTRIBUTES = 100;
const MAXIMUM_ATTRIBUTE_NAME = 100;

export const wirePermissionName = (name: string, { word }: Namespace): string => `${word}.${name}`;

/** Removes the namespace word from a permission's name. Returns null if custom roles have no such permission. */
function neutralName(text: string, { word }: Namespace): string | null {
  const name = text.startsWith(`${word}.`) ? text.slice(word.length + 1) : '';
  return CUSTOM_PERMISSIONS.has(name) ? name : null;
}

/** Reads the name of a permission in a body. */
export function readPermissionName(text: string, namespace: Namespace): string {
  const name = neutralName(text, namespace);
  if (name === null) throw invalid('permissions', `${text.slice(0, 100)} is not a permission.`);
  return name;
}

/** Reads the name of a permission in a path. */
export function permissionNamed(text: string, namespace: Namespace): string {
  const name = neutralName(text, namespace);
  if (name === null) throw notFound(text, 'Permission');
  return name;
}

export const attributeKey = ({ word }: Namespace): string => `${word}:ResourceAttribute/User/Profile`;

const refused = (problem: Problem) => invalid('conditions', problem);

function readAttributes(side: Readonly<Record<string, unknown>>, namespace: Namespace): readonly string[] {
  const key = attributeKey(namespace);
  const names = side[key];
  if (Object.keys(side).some((name) => name !== key) || !Array.isArray(names)) {
    throw refused(`must contain the names of attributes by ${key} and nothing else.`);
  }
  const isName = (name: unknown): name is string =>
    typeof name === 'string' && name !== '' && name.length <= MAXIMUM_ATTRIBUTE_NAME;
  if (names.length === 0 || names.length > MAXIMUM_ATTRIBUTES || !names.every(isName)) {
    throw refused(`must contain 1 to ${MAXIMUM_ATTRIBUTES} names of attributes by ${key}.`);
  }
  return [...new Set(names)];
}

/** Reads the attributes to which a permission is limited, or those that it excludes. */
export function readConditions(
  given: PermissionInput['conditions'],
  permission: string,
  namespace: Namespace,
): AttributeCondition | null {
  const include = given?.include ?? null;
  const exclude = given?.exclude ?? null;
  if (include === null && exclude === null) return null;
  if (!CONDITIONAL_PERMISSIONS.has(permission)) throw refused('must be absent for this permission.');
  if (include !== null && exclude !== null) throw refused('must not combine include and exclude.');
  if (include !== null) return { include: readAttributes(include, namespace) };
  return { exclude: readAttributes(exclude ?? {}, namespace) };
}

export function wireConditions(conditions: AttributeCondition | null, namespace: Namespace): object | null {
  if (conditions === null) return null;
  const key = attributeKey(namespace);
  return conditions.include === undefined
    ? { exclude: { [key]: conditions.exclude } }
    : { include: { [key]: conditions.include } };
}
