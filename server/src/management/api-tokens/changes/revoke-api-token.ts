import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { NewEvent, Record, Work } from '../../../system-log/index.ts';
import { lockApiToken } from '../guards.ts';
import { type ApiToken, removeApiToken, removeApiTokensNamed, removeApiTokensOfUser } from '../store.ts';
import { apiTokenChange } from '../wire.ts';

const revoked = (token: ApiToken): NewEvent => ({
  eventType: 'system.api_token.revoke',
  target: [apiTokenChange([token, null])],
});

export function revokeApiToken(ports: { readonly work: Work }, context: Context, id: string): Promise<void> {
  return ports.work(context, async (tx, record) => {
    const token = await lockApiToken(tx, context, id);
    await removeApiToken(tx, context.orgId, token.id);
    record(revoked(token));
  });
}

/** The holder of a token needs no role to revoke it. */
export async function revokeCurrentApiToken(ports: { readonly work: Work }, context: Context): Promise<void> {
  if (context.principal.kind !== 'apiToken') throw apiError('E0000006');
  await revokeApiToken(ports, context, context.principal.tokenId);
}

/** Revokes all tokens of the org with this name, whoever owns them. Several tokens can have the same name. */
export function revokeTokensNamed(ports: { readonly work: Work }, context: Context, name: string): Promise<void> {
  return ports.work(context, async (tx, record) => {
    for (const token of await removeApiTokensNamed(tx, context.orgId, name)) record(revoked(token));
  });
}

/** Reacts to a deactivation: revokes the user's tokens, which remain revoked if the user is activated again. */
export async function revokeTokensOfUser(tx: Tx, context: Context, event: NewEvent, record: Record): Promise<void> {
  for (const { id, type } of event.target ?? []) {
    if (type !== 'User') continue;
    for (const token of await removeApiTokensOfUser(tx, context.orgId, id)) record(revoked(token));
  }
}
