import { describe, expect, test } from 'vitest';
import { read, TYPESCRIPT } from './repository-files.ts';

const OWNERS: ReadonlySet<string> = new Set([
  'server/src/kernel/errors/field-errors.ts',
  'server/src/kernel/errors/problems.ts',
]);
/** Messages in these folders name no field of a request. */
const ELSEWHERE = /^server\/src\/(cli|directory-transfer|expression|process|settings)\//;
const SOURCES = TYPESCRIPT.filter((path) => path.startsWith('server/src/') && !path.endsWith('.test.ts')).filter(
  (path) => !OWNERS.has(path) && !ELSEWHERE.test(path),
);

/** Wordings that belong in `OWNERS`. No file in `SOURCES` may spell them out. */
const SHARED = [
  /The field cannot be left blank/,
  /An object with this field already exists in the current organization/,
  /must be one of \$\{[^}]*\.join\('?, '?\)\}\.[`'"]/,
  /must be a whole number from \$\{[^}]*\} to \$\{[^}]*\}\./,
  /(?<!Passwords )(must be|must have|[Aa]t) at most \$\{[^}]*\} characters/,
  /must be (an? (array|object|list|string)|text|true or false)\.[`'"]/,
  /: is required\.?[`'"]/,
  /[^f] an org may have at most \$\{/i,
];

/** A problem that begins with one of these words has its field as the subject. */
const PREDICATE = /^(are|belongs|can|cannot|contains|does|has|have|is|may|must|names|needs|requires) /;

interface Call {
  readonly place: string;
  readonly field: string;
  readonly text: string;
}

const CALLS: readonly Call[] = SOURCES.flatMap((path) =>
  [
    ...read(path).matchAll(
      /(?<!client, )\binvalid\(\s*(?!client,)([^,()]+(?:\([^()]*\))?),\s*(['"`])((?:(?!\2)[^\\]|\\.)*)\2/g,
    ),
  ].map(([, field = '', , text = '']) => ({
    place: `${path}: ${text}`,
    field: field.trim().replaceAll(/^['`]|['`]$/g, ''),
    text,
  })),
);
const placesOf = (calls: readonly Call[]): readonly string[] => calls.map(({ place }) => place);

describe('problems of a field', () => {
  test('the scan sees them', () => {
    expect(CALLS.length).toBeGreaterThan(100);
  });

  test('that several areas have are spelled in kernel/errors alone', () => {
    const found = SOURCES.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line) && SHARED.some((spelling) => spelling.test(line)))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  test('leave it to `invalid` to name the field', () => {
    const starts = ({ field }: Call): readonly string[] => [`${field}: `, `'${field}': `, `\${${field}}: `];
    expect(placesOf(CALLS.filter((call) => starts(call).some((start) => call.text.startsWith(start))))).toEqual([]);
  });

  test('are predicates or sentences', () => {
    expect(placesOf(CALLS.filter(({ text }) => !PREDICATE.test(text) && !/^[A-Z'$]/.test(text)))).toEqual([]);
  });
});
