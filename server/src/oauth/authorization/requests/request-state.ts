import type { Context } from '../../../kernel/context.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { AuthorizingClient } from '../../../management/apps/index.ts';
import type { CookieHeaders } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { AuthorizingSession, Sessions } from '../../../sign-in/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import type { AccessTokens } from '../../access-tokens/index.ts';
import type { AppPolicies, AppPoliciesPorts } from '../../app-sign-on/index.ts';
import type { CredentialRefusal } from '../../client-authentication/authenticate-client.ts';
import type { ServerConfiguration, ServerConfigurations } from '../../custom-servers/index.ts';
import type { Interaction } from '../../interactions/index.ts';
import type { SigningKeys } from '../../keys/index.ts';
import type { Refusals } from '../../token/refusals.ts';
import type { SignedIn, TokenParents, UserTokenDecision } from '../../user-tokens/index.ts';
import type { ResponseMode, ResponsePart } from '../response-rules.ts';
import type { Entries, Parameters, Refusal } from './parameter-rules.ts';
import type { RequestObjects } from './request-object.ts';
import type { Prompt } from './request-rules.ts';

export interface AuthorizationPorts extends AppPoliciesPorts, Pick<Foundation, 'db' | 'work'> {
  readonly sessions: Pick<Sessions, 'work' | 'ending'>;
  readonly servers: Pick<ServerConfigurations, 'find'>;
  readonly signingKeys: Pick<SigningKeys, 'verificationKey'>;
  readonly requestObjects: RequestObjects;
  readonly isIssuerOrigin: (orgId: OrgId, origin: string) => Promise<boolean> | boolean;
  readonly refusals: Pick<Refusals, 'isWritten'>;
  readonly accessTokens: AccessTokens;
  readonly refused: (refusal: CredentialRefusal) => void;
}

export interface IncomingRequest {
  /** The parameters of the query or of the posted form. */
  readonly entries: Entries;
  /** Whether a form was posted to a URL that also has parameters. */
  readonly isMixed: boolean;
  /**
   * The server in the path: an id or `default`. It is empty for the org's own server and for a continued interaction.
   */
  readonly server: string;
  /** The id of the interaction that continues. Null means that the request is new. */
  readonly interactionId: string | null;
  readonly headers: CookieHeaders;
  /** This is set if the authenticated client sent the request to the endpoint for pushed requests. */
  readonly isPushed?: true;
}

export interface Hint {
  readonly subject: string;
}

/** Each step of `AUTHORIZATION_STEPS` adds its result. */
export interface RequestState {
  readonly request: IncomingRequest;
  readonly parameters: Parameters;
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly interaction?: Interaction;
  /** The hash under which a pushed request is stored. */
  readonly pushedHash?: Buffer;
  /** The id of a signed request, which is accepted once. */
  readonly requestObject?: { readonly name: string; readonly expiresAt: Date };
  readonly client?: AuthorizingClient;
  readonly redirectUri?: string;
  readonly parts?: readonly ResponsePart[];
  readonly mode?: ResponseMode;
  readonly prompt?: Prompt;
  readonly acr?: string | null;
  readonly hint?: Hint;
  readonly sessionId?: string;
  readonly session?: AuthorizingSession;
  readonly appPolicies?: AppPolicies;
  readonly cookies: readonly string[];
  readonly parents?: TokenParents;
  readonly authentication?: SignedIn;
  /** Scopes are spelled as they appear on the wire. */
  readonly scopes?: readonly string[];
  /** The decisions about the code and about the tokens in the response. */
  readonly decisions?: { readonly code?: UserTokenDecision; readonly tokens?: UserTokenDecision };
}

/** Throws if no earlier step found the value. */
export function found<Name extends keyof RequestState>(
  known: RequestState,
  name: Name,
): NonNullable<RequestState[Name]> {
  const value = known[name];
  if (value === undefined || value === null) throw new Error(`${name} is asked for before it is known`);
  return value;
}

/** The result of a step that stops the request: an error, or a page on which the user has to act. */
export type Halt =
  | Refusal
  | { readonly asks: 'signIn'; readonly reauthenticate: boolean }
  | { readonly asks: 'consent' };

export interface AtRequest {
  readonly ports: AuthorizationPorts;
  readonly context: Context;
}

export interface AtIssue extends AtRequest {
  readonly tx: Tx;
}

export type Found = Partial<RequestState>;

export const isHalt = (result: Found | Halt): result is Halt => 'refused' in result || 'asks' in result;
