import { invalid } from '../../../kernel/errors/errors.ts';

/** Null in `attributes` means all attributes. */
export interface Projection {
  readonly members: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string> | null;
}

const PROFILE_PART = /^profile\s*:\s*\(([^()]*)\)$/;

const malformed = () =>
  invalid('fields', 'must be names separated by commas, with those of the profile as profile:(name,name).');

/** Splits a string at commas that are not inside parentheses. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let [start, isInside] = [0, false];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '(' || character === ')') {
      if (isInside === (character === '(')) throw malformed();
      isInside = !isInside;
    } else if (character === ',' && !isInside) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  if (isInside) throw malformed();
  return [...parts, text.slice(start)].map((part) => part.trim());
}

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Reads `fields` (contract section 4.1). Returns null if it is absent or blank. */
export function readProjection(text: string | undefined): Projection | null {
  if (text === undefined || text.trim() === '') return null;
  const members = new Set<string>();
  const attributes = new Set<string>();
  let isWholeProfile = false;
  for (const part of partsOf(text)) {
    const inProfile = PROFILE_PART.exec(part)?.[1];
    if (inProfile === undefined && /[():]/.test(part)) throw malformed();
    if (inProfile === undefined && part !== '') members.add(part);
    isWholeProfile ||= part === 'profile';
    for (const name of namesIn(inProfile ?? '')) attributes.add(name);
  }
  if (attributes.size > 0) members.add('profile');
  return { members, attributes: isWholeProfile ? null : attributes };
}

export function projected(
  user: Readonly<Record<string, unknown>>,
  { attributes, members }: Projection,
): Record<string, unknown> {
  const shown = Object.entries(user).filter(([name]) => name === 'id' || members.has(name));
  return Object.fromEntries(
    shown.map(([name, value]) => {
      if (name !== 'profile' || attributes === null || typeof value !== 'object' || value === null)
        return [name, value];
      return [name, Object.fromEntries(Object.entries(value).filter(([attribute]) => attributes.has(attribute)))];
    }),
  );
}
