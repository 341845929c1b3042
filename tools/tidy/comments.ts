import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository-files.ts';

export interface Comment {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const BLOCK = /\/\*\*?([\s\S]*?)\*\//g;
const LINES = /(?:^[ \t]*\/\/(?!\/).*\n)+/gm;

const plain = (text: string): string =>
  text
    .replaceAll(/^[ \t]*(\*|\/\/)+ ?/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Returns the comments that are on lines of their own. Leaves out instructions to tools. */
export function commentsIn(path: string): Comment[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const lineAt = (index: number) => source.slice(0, index).split('\n').length;
  const found = [...source.matchAll(BLOCK), ...source.matchAll(LINES)];
  return found
    .filter((match) => /^[ \t]*$/.test(source.slice(source.lastIndexOf('\n', match.index - 1) + 1, match.index)))
    .map((match) => ({ path, line: lineAt(match.index), text: plain(match[1] ?? match[0]) }))
    .filter(({ text }) => text !== '' && !/^(biome|oxlint)-|^@/.test(text));
}

/**
 * Openings that lack a noun ("What ...", "Of ...", "Null if ...", "Tests that ...") or depend on another comment ("The
 * same for ...").
 */
const WITHOUT_SUBJECT = new RegExp(
  `^(${[
    'What(ever)?',
    'Who(m|se|ever)?',
    'Which(ever)?',
    'Of',
    'Those',
    'That (of|which|is|was|by|to|in|on|for|with)',
    'The same',
    'The (one|ones)',
    'One (that|of|which|who|by|for|in|to|with)',
    'Such',
    'Than',
    'Beside',
    'But',
    'And',
    'Also',
    'So (that|are|is|do|does|it|many|much|long)',
    '(By|With|In|From|For|To|On|At|Under|Behind|Above) (what|which|whom|whose|whoever|whatever)',
    '(Null|Absent|Empty|False|True|Undefined) (if|unless|when|for|until|before|without)',
    '(Called|Returned|Set|Thrown) (after|before|by|for|if|once|when|with)',
    'Tests (that|the|which)',
  ].join('|')})\\b`,
);

export const lacksSubject = (text: string): boolean => WITHOUT_SUBJECT.test(text);
