import { type CheckedLeaf, mapLeaves, matches, readFilter } from '../../filter/index.ts';
import { fieldPath, LOG_FIELDS } from '../query/query-fields.ts';

const own = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** Makes a leaf read its field by path, because `matches` would split a key of an open object at its dots. */
function placed(leaf: CheckedLeaf): CheckedLeaf {
  const { array, path } = fieldPath(leaf.field);
  if (array !== null) return leaf;
  const value = (event: unknown): unknown => path.reduce(own, event);
  return { ...leaf, field: { ...leaf.field, value } };
}

/** Returns a function that tests a stored event against a System Log filter. */
export function eventFilter(text: string): (body: string) => boolean {
  const expression = mapLeaves(readFilter(text, LOG_FIELDS), placed);
  return (body) => matches(expression, JSON.parse(body));
}
