import { describe, expect, test } from 'vitest';
import { commentsIn, lacksSubject } from './comments.ts';
import { FILES, isGenerated } from './repository-files.ts';

const SOURCES = FILES.filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path) && !isGenerated(path));

const STILL_WITHOUT_SUBJECT = 0;

describe('comments', () => {
  test('what the rule finds and leaves alone', () => {
    expect(
      [
        'What it does.',
        'Of users alone.',
        'Those that wait.',
        'The same for apps.',
        'Null if it never ends.',
        'Thrown by a handler.',
        'Tests that a file is read.',
      ].filter(lacksSubject),
    ).toHaveLength(7);
    const sentences = ['The org whose key it is.', 'Locks the row.', 'An empty list means all.', 'Null means never.'];
    expect([...sentences, 'Tests whether a value fits.'].filter(lacksSubject)).toEqual([]);
  });

  test('open with a subject or a verb', () => {
    const found = SOURCES.flatMap(commentsIn).filter(({ text }) => lacksSubject(text));
    const listed = found.map(({ line, path, text }) => `${path}:${line}: ${text.slice(0, 80)}`);
    expect(listed.length, listed.slice(0, 20).join('\n')).toBe(STILL_WITHOUT_SUBJECT);
  });
});
