import { describe, expect, test } from 'vitest';
import { expectOfEvery } from '../../test/support/offenders.ts';
import type { UserStatus } from '../kernel/user-statuses.ts';
import { ADMISSION_PATHS, type AdmissionParents, type AdmissionPath, admits, type Presence } from './admission.ts';

const STATUSES = [
  'STAGED',
  'PROVISIONED',
  'ACTIVE',
  'RECOVERY',
  'LOCKED_OUT',
  'PASSWORD_EXPIRED',
  'SUSPENDED',
  'DEPROVISIONED',
] as const;
/** Null means that the app is not an OAuth client. */
const CLIENT_TYPES = ['service', 'web', 'native', 'browser', null] as const;

/**
 * This table repeats the one in the specification instead of importing the code's, so that the tests notice a wrong
 * row.
 */
const USERS: Readonly<Record<string, readonly UserStatus[]>> = {
  passwordSignIn: ['ACTIVE'],
  changeExpiredPassword: ['ACTIVE', 'PASSWORD_EXPIRED'],
  activationToken: ['PROVISIONED'],
  recoveryToken: ['ACTIVE', 'LOCKED_OUT', 'PASSWORD_EXPIRED', 'RECOVERY'],
  unlockToken: ['LOCKED_OUT'],
  createSession: ['ACTIVE'],
  refreshSession: ['ACTIVE'],
  useSession: ['ACTIVE', 'LOCKED_OUT', 'PASSWORD_EXPIRED', 'PROVISIONED', 'RECOVERY'],
  authorize: ['ACTIVE'],
  askUserElsewhere: ['ACTIVE'],
  redeemCode: ['ACTIVE'],
  redeemDeviceCode: ['ACTIVE'],
  redeemBackchannelRequest: ['ACTIVE'],
  refreshToken: ['ACTIVE'],
  passwordGrant: ['ACTIVE'],
  exchangeToken: ['ACTIVE'],
  assertionGrant: ['ACTIVE'],
  useUserToken: ['ACTIVE', 'LOCKED_OUT', 'PASSWORD_EXPIRED', 'PROVISIONED', 'RECOVERY'],
  launchApp: ['ACTIVE'],
};
const CLIENTS: Readonly<Record<string, readonly (string | null)[]>> = {
  clientCredentials: ['service'],
  useClientToken: ['service'],
  introspectClientToken: ['service'],
  serverClientCredentials: ['service', 'web'],
  introspectServerToken: ['service', 'web'],
  authorize: ['browser', 'native', 'service', 'web'],
  askUserElsewhere: ['browser', 'native', 'service', 'web'],
  par: ['browser', 'native', 'service', 'web'],
  redeemCode: ['browser', 'native', 'service', 'web'],
  redeemDeviceCode: ['browser', 'native', 'service', 'web'],
  redeemBackchannelRequest: ['web'],
  deviceAuthorize: ['browser', 'native', 'service', 'web'],
  backchannelAuthorize: ['browser', 'native', 'service', 'web'],
  refreshToken: ['browser', 'native', 'service', 'web'],
  passwordGrant: ['native', 'service', 'web'],
  exchangeToken: ['browser', 'native', 'service', 'web'],
  assertionGrant: ['native', 'service', 'web'],
  useUserToken: ['browser', 'native', 'service', 'web'],
  launchApp: ['browser', 'native', null, 'service', 'web'],
  introspect: ['browser', 'native', 'service', 'web'],
  revoke: ['browser', 'native', 'service', 'web'],
};

const SERVERS = [
  'serverClientCredentials',
  'introspectServerToken',
  'authorize',
  'askUserElsewhere',
  'redeemCode',
  'redeemDeviceCode',
  'redeemBackchannelRequest',
  'refreshToken',
  'passwordGrant',
  'exchangeToken',
  'assertionGrant',
  'useUserToken',
] as const;
const server = { status: 'ACTIVE', validAfter: new Date(0) };

const paths = Object.keys(ADMISSION_PATHS) as AdmissionPath[];

const asked = (path: AdmissionPath, changes: AdmissionParents = {}): AdmissionParents => ({
  user: { status: USERS[path]?.[0] ?? 'ACTIVE' },
  client: { status: 'ACTIVE', applicationType: CLIENTS[path]?.[0] ?? '' },
  server,
  app: { access: 'ALLOW' },
  presence: 'PRESENT',
  ...changes,
});

function without(path: AdmissionPath, parent: keyof AdmissionParents): AdmissionParents {
  const { [parent]: _, ...others } = asked(path);
  return others;
}

const every = <Path extends AdmissionPath>(rows: readonly Path[], atLeast: number) => ({
  rows,
  nameOf: (path: Path) => path,
  atLeast,
});
const everyOfUsers = every(
  paths.filter((path) => path in USERS),
  Object.keys(USERS).length,
);
const everyOfClients = every(
  paths.filter((path) => path in CLIENTS),
  Object.keys(CLIENTS).length,
);
const everyOfServers = every(SERVERS, SERVERS.length);

test('every path is in one of the two tables, or in both', () => {
  const told = new Set([...Object.keys(USERS), ...Object.keys(CLIENTS)]);
  expect(paths.toSorted()).toEqual([...told].toSorted());
});

describe('every path of a user', () => {
  test('takes exactly these statuses', () =>
    expectOfEvery(everyOfUsers, (path) => {
      const taken = STATUSES.filter((status) => admits(path, asked(path, { user: { status } })) === null);
      expect(taken.toSorted()).toEqual(USERS[path]);
    }));

  test('says why it refuses', () =>
    expectOfEvery(everyOfUsers, (path) => {
      for (const status of STATUSES.filter((one) => USERS[path]?.includes(one) !== true)) {
        const isNamed = status === 'LOCKED_OUT' || status === 'PASSWORD_EXPIRED';
        expect(admits(path, asked(path, { user: { status } }))).toBe(isNamed ? status : 'USER_STATUS');
      }
    }));

  test('refuses what was issued before the watermark, or at it', () =>
    expectOfEvery(everyOfUsers, (path) => {
      const status = USERS[path]?.[0] ?? 'ACTIVE';
      const user = { status, validAfter: new Date(1_000) };
      const at = (issued: number) => admits(path, asked(path, { user, issuedAt: new Date(issued) }));
      expect([at(999), at(1_000), at(1_001)]).toEqual(['REVOKED', 'REVOKED', null]);
    }));

  test('is a fault when it is asked without the user', () =>
    expectOfEvery(everyOfUsers, (path) => {
      expect(() => admits(path, without(path, 'user'))).toThrow(path);
    }));
});

describe('every path of a client', () => {
  test('takes exactly these types of active clients', () =>
    expectOfEvery(everyOfClients, (path) => {
      const of = (applicationType: string | null, status: string) =>
        admits(path, asked(path, { client: { applicationType, status } }));
      const taken = CLIENT_TYPES.filter((type) => of(type, 'ACTIVE') === null);
      expect(taken.toSorted()).toEqual(CLIENTS[path]);
      expect(CLIENT_TYPES.map((type) => of(type, 'INACTIVE'))).toEqual(CLIENT_TYPES.map(() => 'CLIENT_INACTIVE'));
    }));

  test('refuses what was issued before the watermark', () =>
    expectOfEvery(everyOfClients, (path) => {
      const applicationType = CLIENTS[path]?.[0] ?? '';
      const client = { status: 'ACTIVE', applicationType, validAfter: new Date(1_000) };
      expect(admits(path, asked(path, { client, issuedAt: new Date(1_000) }))).toBe('REVOKED');
      expect(admits(path, asked(path, { client, issuedAt: new Date(1_001) }))).toBeNull();
    }));

  test('is a fault when it is asked without the client', () =>
    expectOfEvery(everyOfClients, (path) => {
      expect(() => admits(path, without(path, 'client'))).toThrow(path);
    }));
});

describe('every path of a server', () => {
  test('takes an active server, and nothing that was issued before its watermark', () =>
    expectOfEvery(everyOfServers, (path) => {
      expect(admits(path, asked(path))).toBeNull();
      expect(admits(path, asked(path, { server: { status: 'INACTIVE' } }))).toBe('SERVER_INACTIVE');
      const raised = { status: 'ACTIVE', validAfter: new Date(1_000) };
      const at = (issued: number) => admits(path, asked(path, { server: raised, issuedAt: new Date(issued) }));
      expect([at(999), at(1_000), at(1_001)]).toEqual(['REVOKED', 'REVOKED', null]);
    }));

  test('is a fault when it is asked without the server', () =>
    expectOfEvery(everyOfServers, (path) => {
      expect(() => admits(path, without(path, 'server'))).toThrow(path);
    }));
});

test('only these ask for a server', () => {
  const asking = Object.entries(ADMISSION_PATHS).flatMap(([path, rule]) => ('server' in rule ? [path] : []));
  expect(asking.toSorted()).toEqual([...SERVERS].toSorted());
});

/** The network that an app's sign-on policy evaluates on each path that depends on the policy (ADR 0053). */
const NETWORKS: Readonly<Record<string, string>> = {
  authorize: 'person',
  askUserElsewhere: 'judgedBefore',
  redeemCode: 'judgedBefore',
  redeemDeviceCode: 'judgedBefore',
  redeemBackchannelRequest: 'judgedBefore',
  refreshToken: 'publicClient',
  passwordGrant: 'person',
  exchangeToken: 'nobody',
  assertionGrant: 'nobody',
  useUserToken: 'judgedBefore',
  launchApp: 'person',
};

const everyOfApps = every(
  paths.filter((path) => path in NETWORKS),
  Object.keys(NETWORKS).length,
);

test('every path by which a user comes to an app asks its policy, and no other', () => {
  const asking = Object.entries(ADMISSION_PATHS).flatMap(([path, rule]) => ('app' in rule ? [[path, rule.app]] : []));
  expect(Object.fromEntries(asking)).toEqual(NETWORKS);
  const both = paths.filter((path) => path in USERS && path in CLIENTS);
  expect(both.toSorted()).toEqual(Object.keys(NETWORKS).toSorted());
});

describe('every path of a user to an app', () => {
  test('refuses whom the policy of the app denies', () =>
    expectOfEvery(everyOfApps, (path) => {
      expect(admits(path, asked(path, { app: { access: 'ALLOW' } }))).toBeNull();
      expect(admits(path, asked(path, { app: { access: 'DENY' } }))).toBe('APP_POLICY');
    }));

  test('is a fault when it is asked without the policy', () =>
    expectOfEvery(everyOfApps, (path) => {
      expect(() => admits(path, without(path, 'app'))).toThrow(path);
    }));
});

/** Paths on which an approved client may act for an absent user (ADR 0060). */
const TAKE_ABSENT: ReadonlySet<string> = new Set(['refreshToken', 'exchangeToken', 'assertionGrant', 'useUserToken']);

describe('every path of a user to an app, by presence,', () => {
  test('takes users who are there, and others only where they can be absent and that is approved', () =>
    expectOfEvery(everyOfApps, (path) => {
      const of = (presence: Presence) => admits(path, asked(path, { presence }));
      const approved = TAKE_ABSENT.has(path) ? null : 'USER_ABSENT';
      expect([of('PRESENT'), of('APPROVED'), of('UNAPPROVED')]).toEqual([null, approved, 'USER_ABSENT']);
    }));

  test('is a fault when it is asked without whether the user is there', () =>
    expectOfEvery(everyOfApps, (path) => {
      expect(() => admits(path, without(path, 'presence'))).toThrow(path);
    }));
});

test('no other path asks whether its user is there', () => {
  const asking = Object.entries(ADMISSION_PATHS).flatMap(([path, rule]) => ('person' in rule ? [path] : []));
  expect(asking.toSorted()).toEqual(Object.keys(NETWORKS).toSorted());
});
