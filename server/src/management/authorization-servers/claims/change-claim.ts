import type { Context } from '../../../kernel/context.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import { changedRow } from '../../resource/index.ts';
import type { ClaimInput } from '../contract.ts';
import {
  assertNotSystem,
  assertScopesExist,
  createPartOnce,
  type Found,
  lockClaim,
  lockServer,
  type PartPlace,
} from '../guards.ts';
import { freshRow } from '../servers/create-default-server.ts';
import { authorizationServerTarget, claimChange, claimVersion } from '../wire.ts';
import { claimValueChecker } from './check-claim-value.ts';
import { readClaim, readSystemClaim } from './claim-rules.ts';
import { countClaims, insertClaims, SERVER_CLAIMS, type ServerClaim } from './claim-store.ts';

export const MAXIMUM_CLAIMS = 300;
const SCOPES = 'conditions.scopes';

export function createClaim(
  work: Work,
  context: Context,
  authServerId: string,
  input: ClaimInput,
): Promise<Found<ServerClaim>> {
  const claim: ServerClaim = {
    ...freshRow(context),
    ...readClaim(input, claimValueChecker(context)),
    id: newId('authorizationServerClaim', orgSuffixOf(context.orgId)),
    isSystem: false,
  };
  return work(context, async (tx, record) => {
    const server = await lockServer(tx, context, authServerId);
    const find = (id: string) => SERVER_CLAIMS.find(tx, context.orgId, server.id, id);
    return createPartOnce(tx, context, server, claim.id, find, async () => {
      if ((await countClaims(tx, context.orgId, server.id)) >= MAXIMUM_CLAIMS) {
        throw limitReached('name', MAXIMUM_CLAIMS, 'claims', 'A server');
      }
      await assertScopesExist(tx, context, server.id, SCOPES, { names: claim.scopes, before: [] });
      await insertClaims(tx, context.orgId, server.id, [claim]);
      const target = [authorizationServerTarget(server), claimChange([null, claim])];
      record({ eventType: 'oauth2.claim.created', target });
      return claim;
    });
  });
}

/** Keeps the status if the body omits it. */
export function replaceClaim(
  work: Work,
  context: Context,
  place: PartPlace,
  input: ClaimInput,
): Promise<Found<ServerClaim>> {
  return work(context, async (tx, record) => {
    const { part: before, server } = await lockClaim(tx, context, place);
    assertVersion(context, claimVersion(before));
    const values = before.isSystem
      ? readSystemClaim(input, before)
      : readClaim(input, claimValueChecker(context), before);
    await assertScopesExist(tx, context, server.id, SCOPES, { names: values.scopes, before: before.scopes });
    const after = changedRow(context, before, values);
    const target = claimChange([before, after]);
    if (target.changeDetails === undefined) return { server, part: before };
    await SERVER_CLAIMS.update(tx, context.orgId, { ...after, serverId: server.id });
    record({ eventType: 'oauth2.claim.updated', target: [authorizationServerTarget(server), target] });
    return { server, part: after };
  });
}

export function deleteClaim(work: Work, context: Context, place: PartPlace): Promise<void> {
  return work(context, async (tx, record) => {
    const { part: claim, server } = await lockClaim(tx, context, place);
    assertVersion(context, claimVersion(claim));
    assertNotSystem('claim', claim, 'deleted');
    await SERVER_CLAIMS.remove(tx, context.orgId, server.id, claim.id);
    record({
      eventType: 'oauth2.claim.deleted',
      target: [authorizationServerTarget(server), claimChange([claim, null])],
    });
  });
}
