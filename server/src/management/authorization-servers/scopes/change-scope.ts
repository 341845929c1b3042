import type { Context } from '../../../kernel/context.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import { changedRow } from '../../resource/index.ts';
import type { ScopeInput } from '../contract.ts';
import { assertNotSystem, createPartOnce, type Found, lockScope, lockServer, type PartPlace } from '../guards.ts';
import { freshRow } from '../servers/create-default-server.ts';
import { authorizationServerTarget, scopeChange, scopeVersion } from '../wire.ts';
import { assertSystemScopeKeeps, readScope } from './scope-rules.ts';
import { countScopes, insertScopes, SERVER_SCOPES, type ServerScope } from './scope-store.ts';

export const MAXIMUM_SCOPES = 1_000;

export function createScope(
  work: Work,
  context: Context,
  authServerId: string,
  input: ScopeInput,
): Promise<Found<ServerScope>> {
  const scope: ServerScope = {
    ...freshRow(context),
    ...readScope(input, context.namespace.word),
    id: newId('authorizationServerScope', orgSuffixOf(context.orgId)),
    isSystem: false,
  };
  return work(context, async (tx, record) => {
    const server = await lockServer(tx, context, authServerId);
    const find = (id: string) => SERVER_SCOPES.find(tx, context.orgId, server.id, id);
    return createPartOnce(tx, context, server, scope.id, find, async () => {
      if ((await countScopes(tx, context.orgId, server.id)) >= MAXIMUM_SCOPES) {
        throw limitReached('name', MAXIMUM_SCOPES, 'scopes', 'A server');
      }
      await insertScopes(tx, context.orgId, server.id, [scope]);
      const target = [authorizationServerTarget(server), scopeChange([null, scope])];
      record({ eventType: 'oauth2.scope.created', target });
      return scope;
    });
  });
}

export function replaceScope(
  work: Work,
  context: Context,
  place: PartPlace,
  input: ScopeInput,
): Promise<Found<ServerScope>> {
  return work(context, async (tx, record) => {
    const { part: before, server } = await lockScope(tx, context, place);
    assertVersion(context, scopeVersion(before));
    const after = changedRow(context, before, readScope(input, context.namespace.word, before));
    if (before.isSystem) assertSystemScopeKeeps(before, after);
    const target = scopeChange([before, after]);
    if (target.changeDetails === undefined) return { server, part: before };
    await SERVER_SCOPES.update(tx, context.orgId, { ...after, serverId: server.id });
    record({ eventType: 'oauth2.scope.updated', target: [authorizationServerTarget(server), target] });
    return { server, part: after };
  });
}

export function deleteScope(work: Work, context: Context, place: PartPlace): Promise<void> {
  return work(context, async (tx, record) => {
    const { part: scope, server } = await lockScope(tx, context, place);
    assertVersion(context, scopeVersion(scope));
    assertNotSystem('scope', scope, 'deleted');
    await SERVER_SCOPES.remove(tx, context.orgId, server.id, scope.id);
    record({
      eventType: 'oauth2.scope.deleted',
      target: [authorizationServerTarget(server), scopeChange([scope, null])],
    });
  });
}
