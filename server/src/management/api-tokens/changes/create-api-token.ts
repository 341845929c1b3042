import { randomBytes } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { findUserForUpdate } from '../../users/index.ts';
import { mayOwnLiveTokens } from '../rules.ts';
import { type ApiToken, insertApiToken } from '../store.ts';
import { ANYWHERE } from '../use/network-rules.ts';
import { apiTokenChange } from '../wire.ts';
import { readTokenName } from './read-token-name.ts';

export interface NewApiToken extends ApiToken {
  /** Only the SHA-256 of the value is stored, so the value cannot be shown again. */
  readonly value: string;
}

export async function createApiToken(
  ports: { readonly work: Work },
  context: Context,
  input: { readonly userId: string; readonly name: string },
): Promise<NewApiToken> {
  const name = readTokenName(input.name);
  return ports.work(context, async (tx, record) => {
    const user = await findUserForUpdate(tx, context.orgId, input.userId);
    if (user === undefined) throw notFound(input.userId, 'User');
    if (!mayOwnLiveTokens(user.status)) {
      throw invalid('userId', `A user whose status is ${user.status} cannot have API tokens.`);
    }
    const value = `00${randomBytes(30).toString('base64url')}`;
    const now = wholeSecond(context.now);
    const token: ApiToken = {
      id: newId('apiToken', orgSuffixOf(context.orgId)),
      userId: user.id,
      name,
      clientName: 'API',
      network: ANYWHERE,
      createdAt: now,
      lastUpdatedAt: now,
      lastUsedAt: now,
      revision: FIRST_REVISION,
    };
    await insertApiToken(tx, context.orgId, token, hashSecret(value));
    record({ eventType: 'system.api_token.create', target: [apiTokenChange([null, token])] });
    return { ...token, value };
  });
}
