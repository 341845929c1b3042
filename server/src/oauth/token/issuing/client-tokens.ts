import type { Context } from '../../../kernel/context.ts';
import { newAccessTokenId } from '../../access-tokens/index.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { lockClientAndConsume } from '../../client-authentication/replay-protection.ts';
import type { ServerConfiguration } from '../../custom-servers/index.ts';
import { singleUsesOf } from '../authenticate-request.ts';
import { eventServer, grantEvent } from '../events.ts';
import type { Grant, GrantReader, LockedGrant, PreparedGrant } from './issue-tokens.ts';
import { lockOrg } from './org-token.ts';
import { lockServerOf } from './server-token.ts';

const preparing =
  (context: Context, server: ServerConfiguration | null, requestedScopes: string): Grant['prepare'] =>
  ({ authenticated, key }) => {
    const { client, method } = authenticated;
    const { now, orgId } = context;
    const { clientId } = client;
    const lockParents = (server === null ? lockOrg : lockServerOf(server))(context, client, requestedScopes);
    const tokenType = key === null ? 'Bearer' : 'DPoP';
    const confirmation = key === null ? {} : { confirmation: { jkt: key.jkt } };
    const lock: PreparedGrant['lock'] = async (tx, singleUses) => {
      // The locks on the parents are requested first, so that the database takes them first.
      const [decideFor, { consumed, live }] = await Promise.all([
        lockParents(tx),
        lockClientAndConsume(tx, orgId, clientId, singleUses),
      ]);
      const decide: LockedGrant['decide'] = (record, openSigner, lockedClient) => {
        const decision = decideFor(lockedClient);
        if ('refused' in decision) return Promise.resolve(decision);
        const signer = openSigner();
        const { debugData = {}, lifetimeSeconds, scopes } = decision;
        const jti = newAccessTokenId(lockedClient.issuedAt);
        const grant = { jti, requestedScopes, scopes, tokenType, authenticatedBy: method, debugData };
        const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000);
        record(grantEvent(client, { ...grant, expiresAt, server: eventServer(server) }));
        return Promise.resolve(async () => {
          const { token } = await decision.sign(signer, { jti, clientId, issuedAt: now, ...confirmation });
          return { tokenType, expiresInSeconds: lifetimeSeconds, accessToken: token, scopes };
        });
      };
      return { live, consumed, decide };
    };
    const [use, ...others] = singleUsesOf({ authenticated, key });
    // Requests with the same credential must not share a transaction, because only one of them may consume it.
    const shared: PreparedGrant['shared'] =
      server !== null || use === undefined || others.length > 0
        ? null
        : { work: 'clients', key: `${clientId} ${use.name}`, lock };
    return Promise.resolve({ lock, assume: null, shared });
  };

/**
 * The reader of the grant `client_credentials` (RFC 6749 4.4), on the org's own server (specification 4.6) or a custom
 * one.
 */
export const CLIENT_GRANT: GrantReader = {
  isRegistrationAskedFirst: false,
  read: (_ports, context, { server }, _sender, { form }) => {
    const requestedScopes = parameter(form, 'scope') ?? '';
    return Promise.resolve({ boundTo: null, requestedScopes, prepare: preparing(context, server, requestedScopes) });
  },
};
