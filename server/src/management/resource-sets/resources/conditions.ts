import { RESOURCE_KINDS } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import type { ResourceName } from '../../../kernel/words/held-role.ts';
import type { ConditionsInput } from '../contract.ts';
import { type NamedResource, readResource } from './resource-names.ts';

const MAXIMUM_EXCLUDED = 100;

const refused = (problem: Problem) => invalid('conditions', problem);

/** Only a resource that covers a whole kind can have exceptions. */
export function readExcluded(
  given: ConditionsInput | undefined,
  resource: NamedResource,
  context: Context,
): readonly ResourceName[] {
  const side = given?.Exclude ?? null;
  if (side === null) return [];
  const key = `${context.namespace.word}:ORN`;
  const names = side[key] ?? [];
  const areTexts = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((one) => typeof one === 'string');
  if (Object.keys(side).some((name) => name !== key) || !areTexts(names)) {
    throw refused(`Exclude must contain resource names by ${key} and nothing else.`);
  }
  if (names.length > MAXIMUM_EXCLUDED) throw refused(`must exclude at most ${MAXIMUM_EXCLUDED} resources.`);
  const kind = RESOURCE_KINDS[resource.kind];
  if (names.length > 0 && kind.as !== 'all') throw refused('Exclude belongs to resources that name all of a kind.');
  return [...new Set(names)].map((name) => {
    const excluded = readResource(name, context);
    const { as, of } = RESOURCE_KINDS[excluded.kind];
    if (of !== kind.of || as === 'all')
      throw refused(`${name.slice(0, 200)} is not part of the resource, so it cannot be excluded.`);
    return excluded;
  });
}
