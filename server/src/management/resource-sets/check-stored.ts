import { isResourceKind } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import type { Members } from '../../kernel/words/members.ts';
import { readExcluded } from './resources/conditions.ts';
import { type NamedResource, namesOf, readResource } from './resources/resource-names.ts';

function readNamed(place: string, stored: Members, context: Context): NamedResource {
  const kind = storedText(stored, 'kind');
  if (!isResourceKind(kind)) throw invalid(`${place}kind`, 'There is no such kind of resource.');
  const named = { kind, key: storedText(stored, 'key') };
  const read = readResource(namesOf(named, context).orn, context);
  if (read.kind !== kind || read.key !== named.key) throw invalid(`${place}key`, 'is not a resource of this kind.');
  return named;
}

export function checkStoredResource(row: Members, context: Context): void {
  const resource = readNamed('', row, context);
  const stored = row['excluded'] as readonly Members[];
  const names = stored.map((one) => namesOf(readNamed('excluded.', one, context), context).orn);
  if (names.length === 0) return;
  const given = { Exclude: { [`${context.namespace.word}:ORN`]: names } };
  assertReadsAsStored('excluded', stored, readExcluded(given, resource, context));
}
