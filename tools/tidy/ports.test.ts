import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { read, TYPESCRIPT } from './repository-files.ts';

/**
 * A slice may itself import the slices before it in `sliceOrder`, so app/ must not pass their functions to it through a
 * port.
 */
const walls = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  readonly sliceOrder: readonly string[];
};
const SLICE_ORDER = walls.sliceOrder;
const WIRING = TYPESCRIPT.filter((path) => path.startsWith('server/src/app/') && !path.endsWith('.test.ts'));

const RECEIVERS: Readonly<Record<string, string>> = {
  'server/src/app/ports/groups.ts': 'management/groups',
  'server/src/app/ports/schemas.ts': 'management/schemas',
  'server/src/app/ports/transfer.ts': 'directory-transfer',
  'server/src/app/ports/users.ts': 'management/users',
};
const COMPOSED = new Set(['server/src/app/ports/users.ts hands findOrgName of management/orgs to management/users']);

/** Returns the functions and values imported from slices, by name, each with the place of its slice in `sliceOrder`. */
function importsOf(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [, names = '', source = ''] of text.matchAll(/^import \{([^}]*)\} from '([^']+)';$/gm)) {
    const place = SLICE_ORDER.findIndex((slice) => source.includes(`/${slice}/`));
    for (const name of names.split(',').map((one) => one.trim())) {
      if (place >= 0 && name !== '' && !name.startsWith('type ')) found.set(name, place);
    }
  }
  return found;
}

/** Returns the text of a call from `start`, where its arguments begin, to its closing parenthesis. */
function argumentAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end += 1) depth += { '(': 1, ')': -1 }[text.charAt(end)] ?? 0;
  return text.slice(start, end);
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\w+/g) ?? []);

const leftward = (path: string, words: ReadonlySet<string>, imports: ReadonlyMap<string, number>, receiver: number) =>
  [...imports]
    .filter(([name, place]) => words.has(name) && place < receiver)
    .map(([name, place]) => `${path} hands ${name} of ${SLICE_ORDER[place]} to ${SLICE_ORDER[receiver]}`);

function leftwardIn(path: string, text: string): string[] {
  const imports = importsOf(text);
  const receiver = RECEIVERS[path];
  if (receiver !== undefined) return leftward(path, new Set(imports.keys()), imports, SLICE_ORDER.indexOf(receiver));
  return [...imports].flatMap(([name, place]) =>
    [...text.matchAll(new RegExp(`(?<![\\w.])${name}\\(`, 'g'))].flatMap(({ 0: call, index }) =>
      leftward(path, wordsOf(argumentAt(text, index + call.length)), imports, place),
    ),
  );
}

describe('ports', () => {
  test('every file of app/ports/ has its receiver', () => {
    expect(WIRING.filter((path) => path.includes('/ports/'))).toEqual(Object.keys(RECEIVERS));
  });

  test('no slice is handed what it may import', () => {
    const found = new Set(WIRING.flatMap((path) => leftwardIn(path, read(path))));
    expect(found).toEqual(COMPOSED);
  });

  test('a port to the left is found', () => {
    const text = `import { findUserById } from '../management/users/index.ts';
import { zoneRoutes } from '../management/zones/routes.ts';
const routes = zoneRoutes({ userOf: (id) => findUserById(id) });`;
    expect(leftwardIn('app/routes.ts', text)).toEqual([
      'app/routes.ts hands findUserById of management/users to management/zones',
    ]);
  });
});
