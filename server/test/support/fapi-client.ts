import { createHash } from 'node:crypto';
import { AUTHORIZE, answered, CALLBACK, type Changes, type NewOidcApp, newPkce, requestOf } from './authorization.ts';
import type { TestResponse } from './client.ts';
import { REFRESHABLE, USERINFO, type World } from './conformance.ts';
import { type Claims, claimsOf, newTestKey, postForm, signAssertion } from './service-apps.ts';
import { newProofKey, type ProofKey, TOKEN, withProof } from './user-tokens.ts';

export const FAPI_KEY = newTestKey('ES256');
export const FAPI_SETTINGS = {
  ...REFRESHABLE,
  jwks: { keys: [FAPI_KEY.jwk] },
  dpop_bound_access_tokens: true,
  require_pushed_authorization_requests: true,
  refresh_token: { rotation_type: 'STATIC' },
};
export const FAPI_APP: NewOidcApp = { authMethod: 'private_key_jwt', pkceRequired: true, settings: FAPI_SETTINGS };

export const PAR = '/oauth2/v1/par';

const present = (changes: Changes): Record<string, string> =>
  Object.fromEntries(Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

export interface FapiFlow {
  readonly answer: Readonly<Record<string, string>>;
  readonly proofKey: ProofKey;
  readonly send: (headers?: Readonly<Record<string, string>>) => Promise<TestResponse>;
  readonly response: () => Promise<TestResponse>;
}

/** Creates a client that pushes its requests, names the issuer as the audience of assertions, and uses DPoP. */
export function fapiClient(world: () => World) {
  async function assertion(changes: Claims = {}, key = FAPI_KEY): Promise<Record<string, string>> {
    const { app, org } = world();
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await signAssertion(key, claimsOf(org, app.id, org.now(), { aud: org.baseUrl, ...changes })),
    };
  }

  async function push(
    changes: Changes = {},
    claims: Claims = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    const request = requestOf(world().app, { state: undefined, ...newPkce().parameters, ...changes });
    return postForm(world().org.anonymous, PAR, { ...request, ...(await assertion(claims)) }, { headers });
  }

  const bring = (uri: string, client = world().browser.client): Promise<TestResponse> =>
    client.get(`${AUTHORIZE}?${new URLSearchParams({ client_id: world().app.id, request_uri: uri }).toString()}`);

  /** With `pushedBy`, the pushed request contains a DPoP proof signed with this key. */
  async function codeBy(changes: Changes = {}, pushedBy?: ProofKey) {
    const { parameters, verifier } = newPkce();
    const send = (headers = {}) => push({ ...parameters, ...changes }, {}, headers);
    const { body } = await (pushedBy === undefined ? send() : withProof(world().org, pushedBy, PAR, send));
    return { answer: answered(await bring(body.request_uri)).parameters, verifier };
  }

  /** Returns the error in the response to the pushed request or, if that succeeds, in the redirect. */
  async function errorOf(changes: Changes): Promise<string | undefined> {
    const { body } = await push(changes);
    return body.error ?? answered(await bring(body.request_uri)).parameters['error'];
  }

  async function flow(
    changes: Changes = {},
    given: { readonly proofKey?: ProofKey; readonly pushedBy?: ProofKey; readonly form?: Changes } = {},
  ): Promise<FapiFlow> {
    const { org, service } = world();
    const proofKey = given.proofKey ?? (await newProofKey(service));
    const { answer, verifier } = await codeBy(changes, given.pushedBy);
    const { code } = answer;
    const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
    const send: FapiFlow['send'] = async (headers = {}) =>
      postForm(org.anonymous, TOKEN, { ...present({ ...grant, ...given.form }), ...(await assertion()) }, { headers });
    return { answer, proofKey, send, response: () => withProof(org, proofKey, TOKEN, send) };
  }

  /** Requests userinfo with a token and a DPoP proof signed with `proofKey`. */
  async function userinfoBy(
    token: string,
    proofKey: ProofKey,
    { path = USERINFO, scheme = 'DPoP' }: { readonly path?: string; readonly scheme?: string } = {},
  ): Promise<TestResponse> {
    const ath = createHash('sha256').update(token).digest('base64url');
    const dpop = await proofKey.proof({ htm: 'GET', htu: world().org.baseUrl + USERINFO, ath });
    return world().org.anonymous.get(path, { headers: { authorization: `${scheme} ${token}`, dpop } });
  }

  return { assertion, push, bring, codeBy, errorOf, flow, userinfoBy };
}
