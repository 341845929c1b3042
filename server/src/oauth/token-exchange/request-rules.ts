import { type OAuthErrorCode, oauthDescription } from '../../kernel/errors/oauth-errors.ts';
import { parameter } from '../client-authentication/credentials-rules.ts';

/** The prefix of the names of token types (RFC 8693 3). */
const PREFIX = 'urn:ietf:params:oauth:token-type:';
export const ACCESS_TOKEN_TYPE = `${PREFIX}access_token`;
export const ID_TOKEN_TYPE = `${PREFIX}id_token`;

/** The tokens of an exchange request, and the scope that it requests (RFC 8693 2.1). */
export interface ExchangeRequest {
  readonly subject: { readonly token: string; readonly type: 'access' | 'id' };
  /** An access token of the party that acts for the subject. */
  readonly actorToken: string | null;
  readonly scope: string | undefined;
}

export interface ExchangeRefusal {
  readonly refused: OAuthErrorCode;
  readonly description?: string;
}

type Form = Readonly<Record<string, string>>;

const missing = (name: string): ExchangeRefusal => ({
  refused: 'missingParameter',
  description: oauthDescription('missingParameter', { parameter: name }),
});

function readSubject(form: Form): ExchangeRequest['subject'] | ExchangeRefusal {
  const token = parameter(form, 'subject_token');
  const type = parameter(form, 'subject_token_type');
  if (token === undefined) return missing('subject_token');
  if (type === undefined) return missing('subject_token_type');
  if (type === ACCESS_TOKEN_TYPE) return { token, type: 'access' };
  return type === ID_TOKEN_TYPE ? { token, type: 'id' } : { refused: 'invalidSubjectTokenType' };
}

function readActorToken(form: Form): string | null | ExchangeRefusal {
  const token = parameter(form, 'actor_token');
  const type = parameter(form, 'actor_token_type');
  if (token === undefined) return type === undefined ? null : { refused: 'invalidActorTokenType' };
  if (type === undefined) return missing('actor_token_type');
  return type === ACCESS_TOKEN_TYPE ? token : { refused: 'invalidActorTokenType' };
}

/** The requested audience and resource must be among the audiences of this server's tokens. */
function refusalOfTarget(form: Form, audiences: readonly string[]): ExchangeRefusal | null {
  const isElsewhere = (name: string): boolean => {
    const wanted = parameter(form, name);
    return wanted !== undefined && !audiences.includes(wanted);
  };
  if (isElsewhere('audience')) return { refused: 'exchangeAudience' };
  return isElsewhere('resource') ? { refused: 'exchangeResource' } : null;
}

/** Reads an exchange request without checking the tokens themselves. */
export function readExchangeRequest(form: Form, audiences: readonly string[]): ExchangeRequest | ExchangeRefusal {
  const subject = readSubject(form);
  if ('refused' in subject) return subject;
  const actorToken = readActorToken(form);
  if (actorToken !== null && typeof actorToken !== 'string') return actorToken;
  const wanted = parameter(form, 'requested_token_type');
  if (wanted !== undefined && wanted !== ACCESS_TOKEN_TYPE) return { refused: 'invalidRequestedTokenType' };
  return refusalOfTarget(form, audiences) ?? { subject, actorToken, scope: parameter(form, 'scope') };
}
