import type { AtIssue, AtRequest, Found, Halt, RequestState } from '../requests/request-state.ts';
import {
  authenticateUser,
  grantScopes,
  lockParties,
  requireConsent,
  requireRecentSignIn,
  useUpRequest,
} from './issue-steps.ts';
import { refuseAddress, requirePushed, usePushedRequest, verifyRequestObject } from './reference-steps.ts';
import {
  findServer,
  identifyClient,
  limitParameters,
  readAssurance,
  readParametersOnce,
  refuseProvider,
  requireNonce,
  requirePkce,
  requireResponseMode,
  requireResponseType,
  requireState,
  understandPrompt,
  verifyRedirectUri,
} from './request-steps.ts';
import { findSession, openSession, verifyHint } from './session-steps.ts';

type Result = Found | Halt;

interface Row {
  readonly name: string;
  readonly errorsGoTo: 'page' | 'client';
  /** `push` marks the checks that also run when a client pushes a request (RFC 9126 2.1). */
  readonly on: readonly ('authorize' | 'push')[];
  readonly spec: string;
}

export interface RequestStep extends Row {
  readonly within: 'request';
  readonly run: (known: RequestState, at: AtRequest) => Promise<Result> | Result;
}

export interface IssueStep extends Row {
  readonly within: 'transaction';
  readonly run: (known: RequestState, at: AtIssue) => Promise<Result> | Result;
}

const BOTH = ['authorize', 'push'] as const;
const page = { within: 'request', errorsGoTo: 'page', on: BOTH } as const;
const request = { within: 'request', errorsGoTo: 'client', on: BOTH } as const;
const browser = { ...request, on: ['authorize'] } as const;
const issue = { ...browser, within: 'transaction' } as const;

/**
 * The checks of an authorization request, in order. An error sent to an unverified redirect URI would make this
 * endpoint an open redirector, so `errorsGoTo` says where errors go. Steps that decide what the client gets run in the
 * transaction that records the result, under the locks of `lockParties`.
 */
export const AUTHORIZATION_STEPS: readonly (RequestStep | IssueStep)[] = [
  { name: 'readParameters', ...page, spec: 'RFC 6749 3.1', run: readParametersOnce },
  { name: 'findServer', ...page, spec: 'RFC 8414 2', run: findServer },
  { name: 'usePushedRequest', ...page, spec: 'RFC 9126 4', run: usePushedRequest },
  { name: 'identifyClient', ...page, spec: 'RFC 6749 4.1.1', run: identifyClient },
  { name: 'verifyRequestObject', ...page, spec: 'RFC 9101 6', run: verifyRequestObject },
  { name: 'verifyRedirectUri', ...page, spec: 'RFC 6749 3.1.2.3', run: verifyRedirectUri },
  { name: 'refuseAddress', ...request, spec: 'OIDC Core 6.2', run: refuseAddress },
  { name: 'requirePushed', ...request, spec: 'RFC 9126 6', run: requirePushed },
  { name: 'requireResponseType', ...request, spec: 'RFC 6749 3.1.1', run: requireResponseType },
  { name: 'requireResponseMode', ...request, spec: 'Multiple Response Types 2.1', run: requireResponseMode },
  { name: 'limitParameters', ...request, spec: 'ADR 0036', run: limitParameters },
  { name: 'requireState', ...request, spec: 'RFC 6749 10.12', run: requireState },
  { name: 'requireNonce', ...request, spec: 'OIDC Core 3.2.2.1', run: requireNonce },
  { name: 'requirePkce', ...request, spec: 'RFC 7636 4.4.1', run: requirePkce },
  { name: 'readPrompt', ...request, spec: 'OIDC Core 3.1.2.1', run: understandPrompt },
  { name: 'readAssurance', ...request, spec: 'OIDC Core 3.1.2.1', run: readAssurance },
  { name: 'refuseProvider', ...request, spec: 'contract section 7: idp', run: refuseProvider },
  { name: 'verifyHint', ...browser, spec: 'OIDC Core 3.1.2.1', run: verifyHint },
  { name: 'openSession', ...browser, spec: 'contract section 7: sessionToken', run: openSession },
  { name: 'findSession', ...browser, spec: 'OIDC Core 3.1.2.3', run: findSession },
  { name: 'lockParties', ...issue, spec: 'ADR 0036', run: lockParties },
  { name: 'useUpRequest', ...issue, spec: 'RFC 9126 7.3', run: useUpRequest },
  { name: 'authenticateUser', ...issue, spec: 'OIDC Core 3.1.2.3', run: authenticateUser },
  { name: 'grantScopes', ...issue, spec: 'RFC 6749 3.3', run: grantScopes },
  { name: 'requireRecentSignIn', ...issue, spec: 'ADR 0053', run: requireRecentSignIn },
  { name: 'requireConsent', ...issue, spec: 'OIDC Core 3.1.2.4', run: requireConsent },
];

export const isRequestStep = (step: RequestStep | IssueStep): step is RequestStep => step.within === 'request';
