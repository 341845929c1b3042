import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toOrgId } from '../../kernel/words/ids.ts';
import { INPUT_FORMAT } from '../write/event-input.ts';
import { createEventRenderer, type RenderedEvent } from './event-text.ts';

// The vectors were recorded when their format was introduced, and must never be recorded again: an input that waits
// while a new release starts must give the text that the old release would have given.

interface Vector extends Omit<RenderedEvent, 'tokens'> {
  readonly format: number;
  readonly orgId: string;
  readonly uuid: string;
  readonly published: string;
  readonly input: string;
  readonly tokens: readonly number[];
}

const vectors: readonly Vector[] = JSON.parse(readFileSync(join(import.meta.dirname, 'input-vectors.json'), 'utf8'));

test('the format that this release writes has vectors', () => {
  expect(vectors.map(({ format }) => format)).toContain(INPUT_FORMAT);
});

test.each(vectors)('an input of format $format gives the recorded event: $eventType', (vector) => {
  const { format: _, input, orgId, published, uuid, ...recorded } = vector;
  const rendered = createEventRenderer()(toOrgId(orgId), { uuid, published: new Date(published), input });
  expect({ ...rendered, tokens: [...rendered.tokens] }).toEqual(recorded);
});
