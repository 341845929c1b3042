import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  answered,
  ask,
  assign,
  type Browser,
  type Changes,
  type NewOidcApp,
  newBrowser,
  newOidcApp,
  newPkce,
  type OidcApp,
} from './authorization.ts';
import type { TestResponse } from './client.ts';
import { good } from './custom-servers.ts';
import { startTestService, type TestOrg, type TestService, type TestServiceOptions } from './service.ts';
import { redeem } from './user-tokens.ts';
import { CREDENTIALS } from './users.ts';

/** A requirement of a specification, in our own words, and a check that it is met. */
export interface Requirement {
  readonly clause: string;
  readonly requirement: string;
  readonly met: () => Promise<void> | void;
}

/** A requirement that the service does not meet. Its test fails as soon as the service meets it. */
export interface Unmet extends Requirement {
  readonly reason: string;
}

export const row = (clause: string, requirement: string, met: Requirement['met']): Requirement => ({
  clause,
  requirement,
  met,
});

export const unmet = (clause: string, requirement: string, reason: string, met: Requirement['met']): Unmet => ({
  clause,
  requirement,
  reason,
  met,
});

export function describeProfile(profile: string, met: readonly Requirement[], notMet: readonly Unmet[] = []): void {
  describe(profile, () => {
    for (const one of met) test(`${one.clause}: ${one.requirement}`, () => one.met());
    for (const one of notMet) {
      test.fails(`${one.clause}: not met, ${one.requirement} (${one.reason})`, () => one.met());
    }
  });
}

export interface World {
  service: TestService;
  org: TestOrg;
  app: OidcApp;
  browser: Browser;
}

export const REFRESHABLE = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };

export interface NewWorld {
  readonly app?: NewOidcApp | (() => NewOidcApp);
  readonly profile?: Readonly<Record<string, unknown>>;
  readonly service?: TestServiceOptions;
}

/** Opens a world before the tests of the calling file or `describe`, and closes it after them. */
export function openWorld({ app = { settings: REFRESHABLE }, profile, service = {} }: NewWorld = {}): () => World {
  let world: World | undefined;
  beforeAll(async () => {
    const started = await startTestService(service);
    const { org } = started;
    const made = await newOidcApp(org, typeof app === 'function' ? app() : app);
    const user =
      profile === undefined ? {} : { userId: (await org.createUser({ profile, credentials: CREDENTIALS })).id };
    world = { service: started, org, app: made, browser: await newBrowser(started, org, made, user) };
  });
  afterAll(() => world?.service.close());
  return () => {
    if (world === undefined) throw new Error('the service has not started');
    return world;
  };
}

export async function withApp(world: World, given: NewOidcApp = {}): Promise<World> {
  const app = await newOidcApp(world.org, { settings: REFRESHABLE, ...given });
  await assign(world.org, app, world.browser.userId);
  return { ...world, app };
}

/** Sends an authorization request, and returns the parameters that the client receives. */
export const answerTo = async (
  { app, browser }: Pick<World, 'app' | 'browser'>,
  changes: Changes = {},
): Promise<Record<string, string>> => answered(await ask(browser.client, app, changes)).parameters;

/** Sends an authorization request and redeems its code. */
export async function redeemed(
  world: Pick<World, 'org' | 'app' | 'browser'>,
  changes: Changes = {},
  form: Changes = {},
): Promise<TestResponse> {
  const { parameters, verifier } = newPkce();
  const { code = '' } = await answerTo(world, { ...parameters, ...changes });
  return redeem(world.org, world.app, { code, verifier }, form);
}

/** Sends an authorization request, redeems its code, and returns the tokens. */
export const tokensTo = (
  world: Pick<World, 'org' | 'app' | 'browser'>,
  changes: Changes = {},
): Promise<TestResponse['body']> => good(redeemed(world, changes));

export async function verifiedClaims(org: TestOrg, token: string): Promise<JWTPayload> {
  const set = (await org.anonymous.get('/oauth2/v1/keys')).body as JSONWebKeySet;
  return (await jwtVerify(token, createLocalJWKSet(set), { currentDate: org.now() })).payload;
}

export const USERINFO = '/oauth2/v1/userinfo';

export const userinfo = (org: TestOrg, token: string): Promise<TestResponse> =>
  org.anonymous.get(USERINFO, { headers: { authorization: `Bearer ${token}` } });

/** After this time, everything that the service caches for a second has expired. */
export const FORGOTTEN_MILLISECONDS = 1_100;
