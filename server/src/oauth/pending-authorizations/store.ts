import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { CLOCK, columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { Authentication } from '../user-tokens/index.ts';
import type { PollState } from './poll-rules.ts';

/** In `DEVICE` requests, the user types a code (RFC 8628). In `BACKCHANNEL` requests, the client names the user. */
export type PendingAuthorizationKind = 'DEVICE' | 'BACKCHANNEL';

export interface NewPendingAuthorization {
  /** The SHA-256 of the code that the client polls with. */
  readonly hash: Buffer;
  readonly kind: PendingAuthorizationKind;
  /** An empty string means the org's own server. */
  readonly serverId: string;
  readonly clientId: ClientId;
  /** The MAC of the code that the user types. */
  readonly userCodeHash: Buffer | null;
  /** The only user who may answer the request; null means any user who types its code. */
  readonly askedUserId: string | null;
  readonly bindingMessage: string | null;
  /** The level of assurance that the tokens will name. */
  readonly acr: string | null;
  /** Scopes are spelled as they appear on the wire. */
  readonly scopes: readonly string[];
  /** The thumbprint of the key that the tokens will be bound to. */
  readonly dpopJkt: string | null;
  readonly intervalSeconds: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The user who approved the request, with the session of the approval. All members are null before the approval. */
interface Approver {
  readonly userId: string | null;
  readonly sessionExternalId: string | null;
  readonly authTime: Date | null;
  readonly amr: readonly string[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** The time is taken from the database's clock, because it is compared with watermarks. */
  readonly approvedAt: Date | null;
}

export interface PendingAuthorization extends Omit<NewPendingAuthorization, 'userCodeHash'>, PollState, Approver {
  /** The time is taken from the database's clock. */
  readonly issuedAt: Date;
}

const REQUESTS = columns<PendingAuthorization, NewPendingAuthorization>('polled_requests', {
  hash: { is: 'key', name: 'request_hash' },
  kind: 'fixed',
  serverId: 'fixed',
  clientId: 'fixed',
  userCodeHash: { is: 'fixed', reads: null },
  scopes: 'fixed json',
  askedUserId: 'fixed',
  bindingMessage: 'fixed',
  acr: 'fixed',
  dpopJkt: 'fixed',
  status: 'read',
  intervalSeconds: 'fixed',
  lastPolledAt: 'read',
  userId: 'read',
  sessionExternalId: 'read',
  authTime: 'read',
  amr: 'read',
  details: 'read',
  createdAt: 'fixed',
  expiresAt: 'fixed',
  issuedAt: 'read',
  approvedAt: 'read',
});
const COLUMNS = REQUESTS.select();
const INSERT = REQUESTS.insert(() => ({ status: `'PENDING'` }));

/** Returns false if another request has the same user code. */
export async function insertPendingAuthorization(
  tx: Tx,
  orgId: OrgId,
  request: NewPendingAuthorization,
): Promise<boolean> {
  const text = `${INSERT.text} on conflict (org_id, user_code_hash) do nothing returning 1 as stored`;
  return (await prepared(tx, 'polled_request_insert', text, INSERT.values(orgId, request))).length > 0;
}

export async function findPendingAuthorization(
  db: Db,
  orgId: OrgId,
  hash: Buffer,
): Promise<PendingAuthorization | undefined> {
  const text = `select ${COLUMNS} from polled_requests where org_id = $1 and request_hash = $2`;
  const [row] = await prepared<PendingAuthorization>(db, 'polled_request', text, [orgId, hash]);
  return row;
}

export async function lockPendingAuthorization(
  tx: Tx,
  orgId: OrgId,
  hash: Buffer,
): Promise<PendingAuthorization | undefined> {
  const text = `select ${COLUMNS} from polled_requests where org_id = $1 and request_hash = $2 for update`;
  const [row] = await prepared<PendingAuthorization>(tx, 'polled_request_lock', text, [orgId, hash]);
  return row;
}

export async function findByUserCode(
  db: Db,
  orgId: OrgId,
  userCodeHash: Buffer,
  now: Date,
): Promise<PendingAuthorization | undefined> {
  const text = `select ${COLUMNS} from polled_requests
    where org_id = $1 and user_code_hash = $2 and status = 'PENDING' and expires_at > $3`;
  const [row] = await prepared<PendingAuthorization>(db, 'polled_request_of_user_code', text, [
    orgId,
    userCodeHash,
    now,
  ]);
  return row;
}

const WAITING_FOR = `org_id = $1 and asked_user_id = $2 and status = 'PENDING' and expires_at > $3`;

export const findWaitingFor = (
  db: Db,
  orgId: OrgId,
  userId: string,
  now: Date,
  maximum: number,
): Promise<PendingAuthorization[]> => {
  const text = `select ${COLUMNS} from polled_requests where ${WAITING_FOR} order by issued_at desc limit $4`;
  return prepared<PendingAuthorization>(db, 'polled_requests_waiting', text, [orgId, userId, now, maximum]);
};

export async function countWaitingFor(
  tx: Tx,
  orgId: OrgId,
  { clientId, userId }: { readonly clientId: ClientId; readonly userId: string },
  now: Date,
): Promise<{ readonly all: number; readonly ofClient: number }> {
  const text = `select count(*)::integer as all, count(*) filter (where client_id = $4)::integer as "ofClient"
    from polled_requests where ${WAITING_FOR}`;
  const values = [orgId, userId, now, clientId];
  const [row] = await prepared<{ all: number; ofClient: number }>(tx, 'polled_requests_waiting_count', text, values);
  return row ?? { all: 0, ofClient: 0 };
}

/** The caller must have locked the request. */
export async function notePoll(
  tx: Tx,
  orgId: OrgId,
  hash: Buffer,
  { intervalSeconds, polledAt }: { readonly intervalSeconds: number; readonly polledAt: Date },
): Promise<void> {
  const text = `update polled_requests set last_polled_at = $3, interval_seconds = $4
    where org_id = $1 and request_hash = $2`;
  await prepared(tx, 'polled_request_poll', text, [orgId, hash, polledAt, intervalSeconds]);
}

/** The caller must have locked the request. */
export async function approvePendingAuthorization(
  tx: Tx,
  orgId: OrgId,
  hash: Buffer,
  given: { readonly userId: string; readonly scopes: readonly string[]; readonly authentication: Authentication },
): Promise<void> {
  const text = `update polled_requests set status = 'APPROVED', approved_at = clock.now, user_id = $3,
      scopes = $4, session_external_id = $5, auth_time = $6, amr = $7, details = $8
    from ${CLOCK} where org_id = $1 and request_hash = $2`;
  const { amr, authTime, details, sessionExternalId } = given.authentication;
  await prepared(tx, 'polled_request_approve', text, [
    orgId,
    hash,
    given.userId,
    JSON.stringify(given.scopes),
    sessionExternalId,
    authTime,
    JSON.stringify(amr),
    JSON.stringify(details),
  ]);
}

/** The caller must have locked the request. */
export async function denyPendingAuthorization(tx: Tx, orgId: OrgId, hash: Buffer): Promise<void> {
  const text = `update polled_requests set status = 'DENIED' where org_id = $1 and request_hash = $2`;
  await prepared(tx, 'polled_request_deny', text, [orgId, hash]);
}

/** The caller must have locked the request. */
export async function takePendingAuthorization(tx: Tx, orgId: OrgId, hash: Buffer): Promise<void> {
  const text = 'delete from polled_requests where org_id = $1 and request_hash = $2';
  await prepared(tx, 'polled_request_take', text, [orgId, hash]);
}
