import type { Context } from '../../kernel/context.ts';
import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import type { Members } from '../../kernel/words/members.ts';
import { readName, readOrigin, readScopes, type TrustedOriginScope, wireScopes } from './rules.ts';

export function checkStoredTrustedOrigin(row: Members, { namespace }: Context): void {
  const name = storedText(row, 'name');
  readName(name, name);
  assertReadsAsStored('origin', row['origin'], readOrigin(storedText(row, 'origin')));
  const scopes = row['scopes'] as readonly TrustedOriginScope[];
  const wire = wireScopes(scopes, namespace.capitalised);
  assertReadsAsStored('scopes', scopes, readScopes(wire, namespace.capitalised));
}
