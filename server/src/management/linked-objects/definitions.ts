import type { Context } from '../../kernel/context.ts';
import { apiError, type ErrorCause, invalid, notFound } from '../../kernel/errors/errors.ts';
import { limitReached } from '../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { assertVersion } from '../../kernel/version.ts';
import { type Db, waitForOthers } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { DefinitionInput } from './contract.ts';
import { readSide } from './rules.ts';
import {
  countDefinitions,
  type Definition,
  findDefinition,
  findTakenNames,
  insertDefinition,
  lockDefinition,
  MAXIMUM_DEFINITIONS,
  type NewDefinition,
  readDefinitions,
  removeDefinition,
} from './store.ts';
import { definitionChange, definitionVersion } from './wire.ts';

const TYPE = 'LinkedObject';

/** Returns a definition by the name of either side. */
export async function getDefinition(db: Db, context: Context, name: string): Promise<Definition> {
  const definition = await findDefinition(db, context.orgId, name);
  if (definition === undefined) throw notFound(name, TYPE);
  return definition;
}

export const listDefinitions = (db: Db, context: Context): Promise<Definition[]> => readDefinitions(db, context.orgId);

const isTaken = (side: 'primary' | 'associated'): ErrorCause => ({
  errorSummary: `Linked object identifier for ${side} is already in use.`,
  reason: 'UNIQUE_CONSTRAINT',
  locationType: 'body',
  domain: 'linkedObjects',
});

function readDefinition(input: DefinitionInput): NewDefinition {
  const definition = {
    primary: readSide('primary', input.primary),
    associated: readSide('associated', input.associated),
  };
  if (definition.primary.name !== definition.associated.name) return definition;
  throw invalid('associated.name', 'must differ from primary.name.');
}

export function createDefinition(work: Work, context: Context, input: DefinitionInput): Promise<Definition> {
  const wanted = readDefinition(input);
  return work(context, async (tx, record) => {
    const { associated, primary } = wanted;
    await waitForOthers(tx, context.orgId, 'linked_object_definitions');
    const taken = await findTakenNames(tx, context.orgId, [primary.name, associated.name]);
    const causes = (['primary', 'associated'] as const).filter((side) => taken.has(wanted[side].name)).map(isTaken);
    if (causes.length > 0)
      throw apiError('E0000127', { reason: 'Linked object identifier is already in use.' }, { causes });
    if ((await countDefinitions(tx, context.orgId)) >= MAXIMUM_DEFINITIONS) {
      throw limitReached('primary', MAXIMUM_DEFINITIONS, 'linked objects');
    }
    const definition = await insertDefinition(tx, context.orgId, wanted, wholeSecond(context.now));
    record({ eventType: 'directory.linked_object.create', target: [definitionChange([null, definition])] });
    return definition;
  });
}

/** Deletes the definition that has this name on either side, and all its links. */
export function deleteDefinition(work: Work, context: Context, name: string): Promise<void> {
  return work(context, async (tx, record) => {
    const definition = await lockDefinition(tx, context.orgId, name, 'update');
    if (definition === undefined) throw notFound(name, TYPE);
    assertVersion(context, definitionVersion(definition));
    await removeDefinition(tx, context.orgId, definition.primary.name);
    record({ eventType: 'directory.linked_object.delete', target: [definitionChange([definition, null])] });
  });
}
