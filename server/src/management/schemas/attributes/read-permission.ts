import { type Problems, readWord } from '../reading.ts';
import { type Master, SELF_ACTIONS, type SelfAction } from './attribute.ts';

const MAXIMUM_MASTERS = 20;

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** Returns `standard` if the value is absent or invalid. */
export function readPermission(problems: Problems, value: unknown, standard: SelfAction): SelfAction {
  if (value === undefined) return standard;
  const [only, more] = Array.isArray(value) ? (value as unknown[]) : [];
  if (only === undefined || more !== undefined || memberOf(only, 'principal') !== 'SELF') {
    problems.push('permissions must be a list of one permission, of the principal SELF.');
    return standard;
  }
  return readWord(problems, 'permissions.action', memberOf(only, 'action') ?? null, SELF_ACTIONS, standard);
}

/**
 * Reads the source of an attribute's values. Returns null if it is the source of the user's other attributes, or if the
 * value is absent or invalid.
 */
export function readMaster(problems: Problems, value: unknown, upperWord: string): Master | null {
  if (value === undefined) return null;
  const type = memberOf(value, 'type');
  if (type === 'PROFILE_MASTER') return null;
  if (type === upperWord) return { type: 'INTERNAL' };
  const given = memberOf(value, 'priority');
  const listed = type === 'OVERRIDE' && Array.isArray(given) ? (given as unknown[]) : [];
  const priority = listed.flatMap((one) => {
    const [kind, id] = [memberOf(one, 'type'), memberOf(one, 'value')];
    if (typeof kind !== 'string' || typeof id !== 'string' || id.length > 100) return [];
    if (kind !== 'APP' && kind !== upperWord) return [];
    return [{ type: kind === upperWord ? 'INTERNAL' : kind, value: id }];
  });
  if (priority.length > 0 && priority.length === listed.length && priority.length <= MAXIMUM_MASTERS) {
    return { type: 'OVERRIDE', priority };
  }
  problems.push(`master must be PROFILE_MASTER, ${upperWord}, or OVERRIDE with its priority.`);
  return null;
}
