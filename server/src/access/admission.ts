import {
  type AskedPerson,
  GRANT_TYPES,
  type GrantTypeRow,
  type JudgedNetwork,
  type UserGrantType,
} from '../kernel/grant-types.ts';
import { STATUSES_IN_USE, USER_STATUS_ROWS, type UserStatus, type UserStatusRefusal } from '../kernel/user-statuses.ts';

/** Whether the user takes part in the grant and, if not, whether the client may get tokens for the user (ADR 0060). */
export type Presence = 'PRESENT' | 'APPROVED' | 'UNAPPROVED';

interface AppRule {
  readonly user: readonly UserStatus[];
  readonly client: readonly (string | null)[];
  readonly server?: true;
  readonly app: JudgedNetwork;
  readonly person: AskedPerson;
}

type GrantPath = (typeof GRANT_TYPES)[UserGrantType]['admission']['path'];
type GrantRule = AppRule & { readonly server: true };

const grantRule = ({ admission, applications }: GrantTypeRow): readonly (readonly [string, GrantRule])[] => {
  if (admission === null) return [];
  const { app, path, person } = admission;
  const client = admission.applications ?? applications;
  return [[path, { user: ['ACTIVE'], client, server: true, app, person }]];
};

const GRANT_PATHS = Object.fromEntries(Object.values(GRANT_TYPES).flatMap(grantRule)) as Record<GrantPath, GrantRule>;

export const ADMISSION_PATHS = {
  passwordSignIn: { user: ['ACTIVE'] },
  changeExpiredPassword: { user: ['ACTIVE', 'PASSWORD_EXPIRED'] },
  activationToken: { user: ['PROVISIONED'] },
  recoveryToken: { user: ['ACTIVE', 'RECOVERY', 'PASSWORD_EXPIRED', 'LOCKED_OUT'] },
  unlockToken: { user: ['LOCKED_OUT'] },
  createSession: { user: ['ACTIVE'] },
  refreshSession: { user: ['ACTIVE'] },
  /** A session stays usable in some statuses in which the user cannot sign in, such as LOCKED_OUT. */
  useSession: { user: STATUSES_IN_USE },
  clientCredentials: { client: ['service'] },
  useClientToken: { client: ['service'] },
  introspectClientToken: { client: ['service'] },
  /** The `client_credentials` grant at a custom authorization server. */
  serverClientCredentials: { client: ['service', 'web'], server: true },
  introspectServerToken: { client: ['service', 'web'], server: true },
  ...GRANT_PATHS,
  useUserToken: {
    user: STATUSES_IN_USE,
    client: ['service', 'web', 'native', 'browser'],
    server: true,
    app: 'judgedBefore',
    person: 'mayBeAbsent',
  },
  introspect: { client: ['service', 'web', 'native', 'browser'] },
  authorize: {
    user: ['ACTIVE'],
    client: ['service', 'web', 'native', 'browser'],
    server: true,
    app: 'person',
    person: 'there',
  },
  /** The app's policy evaluates the user's network later, when the user answers. */
  askUserElsewhere: {
    user: ['ACTIVE'],
    client: ['service', 'web', 'native', 'browser'],
    server: true,
    app: 'judgedBefore',
    person: 'there',
  },
  /** A null client type means that the app is not an OAuth client. */
  launchApp: {
    user: ['ACTIVE'],
    client: ['service', 'web', 'native', 'browser', null],
    app: 'person',
    person: 'there',
  },
  par: { client: ['service', 'web', 'native', 'browser'] },
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

export interface AdmissionParents {
  readonly user?: { readonly status: UserStatus; readonly validAfter?: Date };
  readonly client?: { readonly status: string; readonly applicationType: string | null; readonly validAfter?: Date };
  readonly server?: { readonly status: string; readonly validAfter?: Date };
  readonly app?: { readonly access: 'ALLOW' | 'DENY' };
  readonly presence?: Presence;
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

const isMissed = (asked: AskedPerson, presence: Presence): boolean =>
  asked === 'there' ? presence !== 'PRESENT' : presence === 'UNAPPROVED';

/** Returns the reason to refuse an operation of `ADMISSION_PATHS`, or null if it is allowed. */
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
