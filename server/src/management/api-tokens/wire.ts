import type { Context } from '../../kernel/context.ts';
import { linkTo } from '../../kernel/errors/hints.ts';
import { wholeSecond, wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target, toldDocument } from '../../system-log/index.ts';
import { expiryOf, TOKEN_WINDOW } from './rules.ts';
import type { ApiToken } from './store.ts';

/** The value of a token is shown only when the token is created (contract section 7). */
export const wireApiToken = (token: ApiToken, context: Context): Record<string, unknown> => ({
  id: token.id,
  name: token.name,
  userId: token.userId,
  clientName: `${context.namespace.capitalised} ${token.clientName}`,
  tokenWindow: TOKEN_WINDOW,
  network: token.network,
  expiresAt: wireDate(wholeSecond(expiryOf(token.lastUsedAt))),
  created: wireDate(token.createdAt),
  lastUpdated: wireDate(token.lastUpdatedAt),
  _links: {
    self: linkTo(`${context.baseUrl}/api/v1/api-tokens/${token.id}`, '/api/v1/api-tokens/:apiTokenId'),
    user: { href: `${context.baseUrl}/api/v1/users/${token.userId}`, hints: { allow: ['GET'] } },
  },
});

export const apiTokenVersion = ({ id, revision }: ApiToken): Version => ({ kind: 'apiToken', id, revision });

const apiTokenTarget = (token: ApiToken): Target => ({
  id: token.id,
  type: 'Token',
  alternateId: token.userId,
  displayName: token.name,
});

export const apiTokenChange = changeTarget(apiTokenTarget, ({ name, network, userId }) => ({
  name,
  userId,
  network: toldDocument(network),
}));
