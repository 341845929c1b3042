import {
  type AskedPerson,
  GRANT_TYPES,
  type GrantTypeRow,
  type JudgedNetwork,
  type UserGrantType,
} from '../kernel/grant-types.ts';
import { STATUSES_IN_USE, USER_STATUS_ROWS, type UserStatus, type UserStatusRefusal } from '../kernel/user-statuses.ts';

/**
 * PRESENT means that the user authenticated. APPROVED means that the user was absent, but the client may get tokens for
 * them. UNAPPROVED means that the client needs an approval for this, and that none is valid (ADR 0060).
 */
export type Presence = 'PRESENT' | 'APPROVED' | 'UNAPPROVED';

interface AppRule {
  readonly user: readonly UserStatus[];
  readonly client: readonly (string | null)[];
  readonly server?: true;
  readonly app: JudgedNetwork;
  readonly person: AskedPerson;
}

/** The paths by which the token endpoint issues tokens of users, one for each grant type. */
type GrantPath = (typeof GRANT_TYPES)[UserGrantType]['admission']['path'];
type GrantRule = AppRule & { readonly server: true };

const grantRule = ({ admission, applications }: GrantTypeRow): readonly (readonly [string, GrantRule])[] => {
  if (admission === null) return [];
  const { app, path, person } = admission;
  const client = admission.applications ?? applications;
  return [[path, { user: ['ACTIVE'], client, server: true, app, person }]];
};

const GRANT_PATHS = Object.fromEntries(Object.values(GRANT_TYPES).flatMap(grantRule)) as Record<GrantPath, GrantRule>;

/** Each way to sign in, to get a token, or to use one, with what it requires of the user, client, server and app. */
export const ADMISSION_PATHS = {
  /** A sign-in with a password: at `POST /authn`, on a page, or for the password grant. */
  passwordSignIn: { user: ['ACTIVE'] },
  /** The change of an expired password, which the user must make before the sign-in is complete. */
  changeExpiredPassword: { user: ['ACTIVE', 'PASSWORD_EXPIRED'] },
  activationToken: { user: ['PROVISIONED'] },
  recoveryToken: { user: ['ACTIVE', 'RECOVERY', 'PASSWORD_EXPIRED', 'LOCKED_OUT'] },
  unlockToken: { user: ['LOCKED_OUT'] },
  createSession: { user: ['ACTIVE'] },
  refreshSession: { user: ['ACTIVE'] },
  /** LOCKED_OUT and PASSWORD_EXPIRED stop sign-ins and refreshes, but not open sessions (design section 7). */
  useSession: { user: STATUSES_IN_USE },
  clientCredentials: { client: ['service'] },
  useClientToken: { client: ['service'] },
  introspectClientToken: { client: ['service'] },
  /** The token endpoint of a custom authorization server, called by a client with its own credentials. */
  serverClientCredentials: { client: ['service', 'web'], server: true },
  introspectServerToken: { client: ['service', 'web'], server: true },
  ...GRANT_PATHS,
  /** A token that an app received for its user depends on the same statuses of the user as an open session. */
  useUserToken: {
    user: STATUSES_IN_USE,
    client: ['service', 'web', 'native', 'browser'],
    server: true,
    app: 'judgedBefore',
    person: 'mayBeAbsent',
  },
  introspect: { client: ['service', 'web', 'native', 'browser'] },
  /** `/authorize`, called with a session cookie. The org's own authorization server has no row and is always active. */
  authorize: {
    user: ['ACTIVE'],
    client: ['service', 'web', 'native', 'browser'],
    server: true,
    app: 'person',
    person: 'there',
  },
  /** The client names the user who will be asked. The user's network is evaluated when they answer. */
  askUserElsewhere: {
    user: ['ACTIVE'],
    client: ['service', 'web', 'native', 'browser'],
    server: true,
    app: 'judgedBefore',
    person: 'there',
  },
  /** `/home`, where a user starts an app of any kind. A null client type means that the app is not an OAuth client. */
  launchApp: {
    user: ['ACTIVE'],
    client: ['service', 'web', 'native', 'browser', null],
    app: 'person',
    person: 'there',
  },
  /** `/par`. The user is not known yet. */
  par: { client: ['service', 'web', 'native', 'browser'] },
  /** The device authorization endpoint. The user is not known yet. */
  deviceAuthorize: { client: ['service', 'web', 'native', 'browser'] },
  /** The request's own validation checks the app type, because the contract prescribes the error texts. */
  backchannelAuthorize: { client: ['service', 'web', 'native', 'browser'] },
  revoke: { client: ['service', 'web', 'native', 'browser'] },
} as const satisfies Record<
  string,
  { user: readonly string[]; client?: never; server?: never } | AppRule | { client: readonly string[]; server?: true }
>;

export type AdmissionPath = keyof typeof ADMISSION_PATHS;

export type AppPath = {
  [Path in AdmissionPath]: 'app' extends keyof (typeof ADMISSION_PATHS)[Path] ? Path : never;
}[AdmissionPath];

export const judgedNetworkOf = (path: AppPath): JudgedNetwork => ADMISSION_PATHS[path].app;

/** The state of the objects that an admission depends on. When something is issued, the state is read under a lock. */
export interface AdmissionParents {
  readonly user?: { readonly status: UserStatus; readonly validAfter?: Date };
  readonly client?: { readonly status: string; readonly applicationType: string | null; readonly validAfter?: Date };
  readonly server?: { readonly status: string; readonly validAfter?: Date };
  /** The decision of the app's sign-on policy about the user. */
  readonly app?: { readonly access: 'ALLOW' | 'DENY' };
  readonly presence?: Presence;
  /** The time when the credential was issued, by the database's clock. */
  readonly issuedAt?: Date;
}

export type AdmissionRefusal =
  | UserStatusRefusal
  | 'CLIENT_INACTIVE'
  | 'CLIENT_TYPE'
  | 'SERVER_INACTIVE'
  | 'APP_POLICY'
  | 'USER_ABSENT'
  | 'REVOKED';

interface AdmissionRule {
  readonly user?: readonly UserStatus[];
  readonly client?: readonly (string | null)[];
  readonly server?: true;
  readonly app?: JudgedNetwork;
  readonly person?: AskedPerson;
}

const refusalOfUser = (allowed: readonly UserStatus[], status: UserStatus): UserStatusRefusal | null =>
  allowed.includes(status) ? null : USER_STATUS_ROWS[status].refusal;

/** Paths that require the user in person refuse an absent user even if the client is approved. */
const isMissed = (asked: AskedPerson, presence: Presence): boolean =>
  asked === 'there' ? presence !== 'PRESENT' : presence === 'UNAPPROVED';

/**
 * Returns the reason why a principal may not sign in, receive a token or use one, or null if they may (design section
 * 7). Code on every path calls this function. It throws if the caller omits an object that the path depends on.
 */
export function admits(path: AdmissionPath, parents: AdmissionParents): AdmissionRefusal | null {
  const rule: AdmissionRule = ADMISSION_PATHS[path];
  if (rule.user !== undefined) {
    if (parents.user === undefined) throw new Error(`${path} was asked without the user`);
    const refusal = refusalOfUser(rule.user, parents.user.status);
    if (refusal !== null) return refusal;
  }
  if (rule.client !== undefined) {
    if (parents.client === undefined) throw new Error(`${path} was asked without the client`);
    if (parents.client.status !== 'ACTIVE') return 'CLIENT_INACTIVE';
    if (!rule.client.includes(parents.client.applicationType)) return 'CLIENT_TYPE';
  }
  if (rule.server === true) {
    if (parents.server === undefined) throw new Error(`${path} was asked without the authorization server`);
    if (parents.server.status !== 'ACTIVE') return 'SERVER_INACTIVE';
  }
  if (rule.app !== undefined) {
    if (parents.app === undefined) throw new Error(`${path} was asked without the policy of the app`);
    if (parents.app.access !== 'ALLOW') return 'APP_POLICY';
  }
  if (rule.person !== undefined) {
    if (parents.presence === undefined) throw new Error(`${path} was asked without whether the user is there`);
    if (isMissed(rule.person, parents.presence)) return 'USER_ABSENT';
  }
  const { issuedAt } = parents;
  if (issuedAt === undefined) return null;
  const watermarks = [parents.user?.validAfter, parents.client?.validAfter, parents.server?.validAfter];
  return watermarks.some((mark) => mark !== undefined && issuedAt <= mark) ? 'REVOKED' : null;
}
