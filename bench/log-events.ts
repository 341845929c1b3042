import type { Context, Principal } from '../server/src/kernel/context.ts';
import type { OrgId } from '../server/src/kernel/words/ids.ts';
import type { Namespace } from '../server/src/kernel/words/namespace.ts';
import type { NewEvent, Target } from '../server/src/system-log/index.ts';
import { idOf, makePeople, makeServices, type Person, randomNumbers } from './log-people.ts';

// This file generates events in the form in which use cases record them. The most frequent type makes up 28 % of the
// log, the rarest 1 event in 10,000.

export interface Happening {
  readonly context: Context;
  readonly event: NewEvent;
}

interface Scene {
  readonly person: Person;
  readonly org: Org;
  readonly random: () => number;
}

interface Story {
  readonly tell: (scene: Scene) => NewEvent;
  readonly path: string;
  /** The kind of actor; a person by default. */
  readonly by?: 'administrator' | 'service' | 'system';
}

interface Org {
  readonly orgId: OrgId;
  readonly people: readonly Person[];
  readonly administrators: readonly Person[];
  readonly services: readonly Person[];
}

const APPS = 60;
const POLICIES = 12;

/** Chooses an item at random. Half of all choices fall into the first `0.5 ** power` of the list. */
const chosen = <Item>(items: readonly Item[], random: () => number, power: number): Item => {
  const item = items[Math.floor(random() ** power * items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
};

const userTarget = ({ actor }: Person): Target => ({
  id: actor.id,
  type: 'User',
  alternateId: actor.alternateId,
  displayName: actor.displayName,
});

const someone = ({ org, random }: Scene): Target => userTarget(chosen(org.people, random, 1.3));

function appTarget({ org, random }: Scene): Target {
  const number = Math.floor(random() ** 3 * APPS);
  const name = `Application ${number}`;
  return { id: idOf('0oa', `${org.orgId} app`, number), type: 'AppInstance', alternateId: name, displayName: name };
}

function policyTargets({ org, random }: Scene): Target[] {
  const number = Math.floor(random() ** 2 * POLICIES);
  const named = (prefix: string, type: string): Target => ({
    id: idOf(prefix, `${org.orgId} ${type}`, number),
    type,
    alternateId: 'unknown',
    displayName: `${type} ${number}`,
  });
  return [named('00p', 'Policy'), named('0pr', 'Rule')];
}

const password = { credentialType: 'PASSWORD', authenticationProvider: '{WORD}_AUTHENTICATION_PROVIDER' };

const CITIES = ['Berlin', 'Paris', 'New York', 'Oslo', 'Porto', 'Osaka', 'Lima', 'Quito'];

function profileChange(scene: Scene): NewEvent {
  const [from, to] = [chosen(CITIES, scene.random, 1), chosen(CITIES, scene.random, 1)];
  const changeDetails = { from: { city: from, department: 'Engines' }, to: { city: to, department: 'Looms' } };
  return { eventType: 'user.account.update_profile', target: [{ ...someone(scene), changeDetails }] };
}

const aboutUser =
  (eventType: NewEvent['eventType']) =>
  (scene: Scene): NewEvent => ({ eventType, target: [someone(scene)] });
const aboutSelf =
  (eventType: NewEvent['eventType'], more: Partial<NewEvent> = {}) =>
  (scene: Scene): NewEvent => ({ eventType, target: [userTarget(scene.person)], ...more });
const aboutApp =
  (eventType: NewEvent['eventType']) =>
  (scene: Scene): NewEvent => ({ eventType, target: [appTarget(scene)] });

const refusedSignIn = (scene: Scene): NewEvent => ({
  eventType: 'user.session.start',
  severity: 'WARN',
  outcome: { result: 'FAILURE', reason: scene.random() < 0.9 ? 'INVALID_CREDENTIALS' : 'LOCKED_OUT' },
  authentication: password,
  target: [userTarget(scene.person)],
});

const tokenGrant = (scene: Scene): NewEvent => ({
  eventType: 'app.oauth2.token.grant.access_token',
  target: [appTarget(scene)],
  debugData: {
    grantType: 'client_credentials',
    clientAuthType: 'private_key_jwt',
    requestedScopes: 'svc.users.read svc.logs.read',
    grantedScopes: 'svc.logs.read',
    tokenType: 'Bearer',
  },
});

const by = (who: NonNullable<Story['by']>) => ({ by: who });
const USERS = '/api/v1/users';

/** `share` is the number of events of this kind among 10,000 events. */
const STORIES: readonly (readonly [share: number, story: Story])[] = [
  [2_300, { path: '/api/v1/authn', tell: aboutSelf('user.session.start', { authentication: password }) }],
  [
    1_800,
    {
      path: '/api/v1/authn',
      tell: (scene) => ({
        eventType: 'policy.evaluate_sign_on',
        outcome: { result: 'ALLOW', reason: 'Sign-on policy evaluation resulted in ALLOW' },
        target: policyTargets(scene),
        debugData: { zones: scene.random() < 0.5 ? 'LegacyIpZone' : '' },
      }),
    },
  ],
  [1_500, { path: '/oauth2/v1/token', tell: tokenGrant, ...by('service') }],
  [
    1_300,
    {
      path: '/app/sso',
      tell: (scene) => ({
        eventType: 'user.authentication.auth',
        target: [appTarget(scene), userTarget(scene.person)],
        authentication: password,
      }),
    },
  ],
  [900, { path: '/api/v1/sessions/me/lifecycle/refresh', tell: aboutSelf('user.session.refresh') }],
  [700, { path: '/api/v1/sessions/me', tell: aboutSelf('user.session.end') }],
  [500, { path: '/api/v1/authn', tell: refusedSignIn }],
  [350, { path: USERS, tell: profileChange, ...by('administrator') }],
  [120, { path: USERS, tell: aboutUser('user.lifecycle.create'), ...by('administrator') }],
  [110, { path: USERS, tell: aboutUser('user.lifecycle.activate'), ...by('administrator') }],
  [80, { path: USERS, tell: aboutUser('user.lifecycle.deactivate'), ...by('administrator') }],
  [60, { path: '/api/v1/authn/credentials', tell: aboutSelf('user.account.update_password') }],
  [50, { path: '/api/v1/authn/recovery/password', tell: aboutSelf('user.account.reset_password') }],
  [40, { path: '/api/v1/authn', tell: aboutSelf('user.account.lock', { severity: 'WARN' }) }],
  [35, { path: '/api/v1/authn', tell: aboutSelf('user.account.unlock'), ...by('system') }],
  [30, { path: USERS, tell: aboutUser('user.lifecycle.suspend'), ...by('administrator') }],
  [25, { path: USERS, tell: aboutUser('user.lifecycle.unsuspend'), ...by('administrator') }],
  [20, { path: '/api/v1/sessions', tell: aboutUser('user.session.clear'), ...by('administrator') }],
  [15, { path: '/api/v1/apps', tell: aboutApp('application.lifecycle.update'), ...by('administrator') }],
  [12, { path: USERS, tell: aboutUser('user.account.privilege.grant'), ...by('administrator') }],
  [10, { path: USERS, tell: aboutUser('user.account.privilege.revoke'), ...by('administrator') }],
  [10, { path: USERS, tell: aboutUser('user.lifecycle.delete.completed'), ...by('administrator') }],
  [8, { path: '/api/v1/apps', tell: aboutApp('application.lifecycle.create'), ...by('administrator') }],
  [6, { path: '/api/v1/policies', tell: policyStory('policy.rule.update'), ...by('administrator') }],
  [5, { path: '/api/v1/policies', tell: policyStory('policy.lifecycle.update'), ...by('administrator') }],
  [4, { path: '/api/v1/apps', tell: aboutApp('application.lifecycle.deactivate'), ...by('administrator') }],
  [3, { path: '/oauth2/v1/revoke', tell: aboutApp('app.oauth2.token.revoke'), ...by('service') }],
  [3, { path: '/oauth2/v1/token', tell: refusedToken, ...by('service') }],
  [2, { path: '/api/v1/api-tokens', tell: () => ({ eventType: 'system.api_token.create' }), ...by('administrator') }],
  [1, { path: '/api/v1/org', tell: () => ({ eventType: 'system.org.update' }), ...by('administrator') }],
  [1, { path: '/api/v1/org', tell: () => ({ eventType: 'system.org.rate_limit.warning' }), ...by('system') }],
];

function policyStory(eventType: NewEvent['eventType']): Story['tell'] {
  return (scene) => ({ eventType, target: policyTargets(scene) });
}

function refusedToken(scene: Scene): NewEvent {
  return {
    eventType: 'app.oauth2.as.authorize.token.grant_failure',
    outcome: { result: 'FAILURE', reason: 'invalid_client' },
    target: [appTarget(scene)],
    debugData: { grantType: 'client_credentials', requestedScopes: 'svc.users.read' },
  };
}

/** Each story is in this list as many times as its share says, so that a choice takes a single look-up. */
const DEALT: readonly Story[] = STORIES.flatMap(([share, story]) => Array.from({ length: share }, () => story));

const SYSTEM: Person = {
  actor: { id: 'system', type: 'SystemPrincipal', alternateId: 'system@svc', displayName: 'Service' },
  clients: [
    {
      ipAddress: null,
      ipChain: [],
      userAgent: { rawUserAgent: null, os: 'Unknown', browser: 'UNKNOWN' },
      device: 'Unknown',
      deviceFingerprint: null,
      acceptLanguage: null,
    },
  ],
};

function personOf({ org, random }: Omit<Scene, 'person'>, story: Story): Person {
  if (story.by === 'system') return SYSTEM;
  if (story.by === 'service') return chosen(org.services, random, 3);
  return story.by === 'administrator' ? chosen(org.administrators, random, 2) : chosen(org.people, random, 2.2);
}

const HASH = Buffer.alloc(32);

function principalOf({ person, random }: Scene, story: Story, session: string): Principal {
  const userId = person.actor.id;
  if (story.by === 'system') return { kind: 'system', name: 'housekeeping' };
  if (story.by === 'administrator') return { kind: 'apiToken', tokenId: idOf('00T', userId, 1), userId };
  if (story.by === 'service') {
    const tokenId = idOf('AT.', 'token', Math.floor(random() * 1e9));
    return { kind: 'oauthClient', clientId: userId, tokenId, issuer: 'https://acme.localhost:8443' };
  }
  return { kind: 'session', idHash: HASH, externalSessionId: session, rootSessionId: session, userId };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
function text(length: number, random: () => number): string {
  let made = '';
  while (made.length < length) made += ALPHABET[Math.floor(random() * ALPHABET.length)];
  return made;
}

export class OrgLife {
  readonly #org: Org;
  readonly #random: () => number;
  readonly #namespace: Namespace;
  /** A sign-in replaces the session of its user. */
  readonly #sessions = new Map<string, string>();

  constructor(orgId: OrgId, people: number, namespace: Namespace) {
    const everybody = makePeople(orgId, people);
    this.#random = randomNumbers(people);
    this.#namespace = namespace;
    this.#org = {
      orgId,
      people: everybody,
      administrators: everybody.slice(0, Math.max(1, Math.min(25, people >> 4))),
      services: makeServices(orgId, 20),
    };
  }

  next(now: Date): Happening {
    const random = this.#random;
    const story = DEALT[Math.floor(random() * DEALT.length)];
    if (story === undefined) throw new Error('no story');
    const person = personOf({ org: this.#org, random }, story);
    const scene: Scene = { org: this.#org, person, random };
    const event = story.tell(scene);
    const session = this.#sessionOf(person.actor.id, event.eventType === 'user.session.start');
    return { event, context: this.#contextOf(scene, story, now, principalOf(scene, story, session)) };
  }

  #sessionOf(userId: string, isNew: boolean): string {
    const known = this.#sessions.get(userId);
    if (known !== undefined && !isNew) return known;
    const session = `102${text(22, this.#random)}`;
    this.#sessions.set(userId, session);
    return session;
  }

  #contextOf({ person, random }: Scene, story: Story, now: Date, principal: Principal): Context {
    const isRequest = story.by !== 'system';
    return {
      orgId: this.#org.orgId,
      namespace: this.#namespace,
      now,
      requestId: text(27, random),
      transactionType: isRequest ? 'WEB' : 'JOB',
      baseUrl: 'https://acme.localhost:8443',
      canonicalUrl: 'https://acme.localhost:8443',
      principal,
      roles: [],
      actor: person.actor,
      client: chosen(person.clients, random, 1.5),
      requestUri: isRequest ? story.path : null,
      url: isRequest ? `${story.path}?` : null,
      idempotency: null,
      precondition: null,
      scopes: null,
      eventNames: 'specification',
    };
  }
}
