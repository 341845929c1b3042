import * as fc from 'fast-check';
import type { ModelPoller, ModelRangeReader } from './log-model-readers.ts';
import type { LogWorld, WrittenKind } from './log-model-world.ts';

export interface Run {
  readonly world: LogWorld;
  readonly pollers: readonly ModelPoller[];
  readonly ranges: ModelRangeReader[];
}

export type RunCommand = fc.AsyncCommand<Run, Run>;

export const MOST_OPEN_WRITERS = 4;

export const command = (name: string, ready: (run: Run) => boolean, act: (run: Run) => Promise<void>): RunCommand => ({
  check: (run) => ready(run),
  run: async (run) => {
    run.world.count(/^\w+/.exec(name)?.[0] ?? name);
    await act(run);
  },
  toString: () => name,
});

export const always = (): boolean => true;
export const pick = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/** An index, which is taken modulo the length of a list. */
export const index = fc.nat({ max: 11 });
export const relayIndex = fc.nat({ max: 1 });

export const kinds = fc.array(
  fc.oneof(
    { arbitrary: fc.constantFrom<WrittenKind>('plain', 'marked'), weight: 100 },
    { arbitrary: fc.constant<'poison'>('poison'), weight: 1 },
  ),
  { minLength: 1, maxLength: 5 },
);
