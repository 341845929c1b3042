import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { AppUserInput } from '../contract.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { type AppUser, scopeOf } from './app-user.ts';
import { type AppUserPlace, assertLive, lockAppUser } from './assign-user.ts';
import { settleAppUser } from './settle-app-user.ts';
import { appUserVersion } from './versions.ts';

export function updateAppUser(
  ports: AppAssignmentsPorts,
  context: Context,
  grant: Grant,
  place: AppUserPlace,
  input: AppUserInput,
): Promise<AppUser> {
  return ports.work(context, async (tx, record) => {
    const before = await lockAppUser(tx, context, grant, place);
    assertLive(before);
    const scope = scopeOf(before);
    if (scope === null) throw notFound(place.userId, 'AppUser');
    assertVersion(context, appUserVersion(before));
    return settleAppUser(ports.masterKey, tx, context, record, { before, scope: input.scope ?? scope, input });
  });
}
