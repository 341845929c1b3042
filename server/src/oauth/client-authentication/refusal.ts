import {
  type OAuthError,
  type OAuthErrorCode,
  type OAuthErrorOptions,
  oauthDescription,
  oauthError,
} from '../../kernel/errors/oauth-errors.ts';
import type { ClientCredentials } from '../../management/apps/index.ts';

/** A refusal that is returned instead of thrown. A thrown error would roll back a surrounding transaction. */
export interface OAuthErrorRefusal {
  readonly refused: OAuthErrorCode;
  readonly options: OAuthErrorOptions;
  /** The client that the refusal concerns; null if there is none. */
  readonly client: ClientCredentials | null;
}

const VALUES = { uses: 'sig' };

export const refusalOf = (
  refused: OAuthErrorCode,
  client: ClientCredentials | null = null,
  options: OAuthErrorOptions = {},
): OAuthErrorRefusal => ({
  refused,
  client,
  options: { description: oauthDescription(refused, VALUES), ...options },
});

export const refusalWith = (
  refused: OAuthErrorCode,
  client: ClientCredentials,
  values: Readonly<Record<string, string>>,
): OAuthErrorRefusal => refusalOf(refused, client, { description: oauthDescription(refused, values) });

export const isRefusal = (result: object): result is OAuthErrorRefusal => 'refused' in result;

export const errorOf = ({ refused, options }: OAuthErrorRefusal): OAuthError => oauthError(refused, options);
