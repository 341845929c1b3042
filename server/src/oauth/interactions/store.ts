import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';

export interface ConsentDecision {
  readonly userId: string;
  readonly decision: 'GRANTED' | 'DECLINED';
  readonly scopes: readonly string[];
}

export type Parameters = Readonly<Record<string, string>>;

/** `INTERACTION` is an authorization request. With the other kinds, the client polls for the user's answer. */
export type InteractionKind = 'INTERACTION' | 'DEVICE' | 'BACKCHANNEL';

/** A request whose user is signing in or is being asked for consent. */
export interface Interaction {
  readonly kind: InteractionKind;
  /** The SHA-256 of the interaction's id, under which it is stored. */
  readonly hash: Buffer;
  readonly clientId: ClientId;
  /** An empty string means the org's own server. */
  readonly serverId: string;
  readonly parameters: Parameters;
  readonly consent: ConsentDecision | null;
  readonly createdAt: Date;
}

const COLUMNS = `request_hash as hash, kind, client_id as "clientId", server_id as "serverId", parameters, consent,
  created_at as "createdAt"`;

const ID = /^[A-Za-z0-9_-]{43}$/;

const THAT_ONE = `org_id = $1 and request_hash = $2 and kind <> 'PUSHED'
  and browser_hash = any($3::bytea[]) and expires_at > $4`;

async function readOne(db: Db, name: string, lock: string, values: readonly [OrgId, string, readonly string[], Date]) {
  const [orgId, id, flowValues, now] = values;
  if (!ID.test(id) || flowValues.length === 0) return undefined;
  const text = `select ${COLUMNS} from authorization_requests where ${THAT_ONE}${lock}`;
  const hashes = flowValues.map((value) => hashSecret(value));
  const [row] = await prepared<Interaction>(db, name, text, [orgId, hashSecret(id), hashes, now]);
  return row;
}

/** Finds a request that continues in this browser. `flowValues` are the values of the flow cookies. */
export const findInteraction = (
  db: Db,
  orgId: OrgId,
  id: string,
  flowValues: readonly string[],
  now: Date,
): Promise<Interaction | undefined> => readOne(db, 'interaction', '', [orgId, id, flowValues, now]);

export const lockInteraction = (
  tx: Tx,
  orgId: OrgId,
  id: string,
  flowValues: readonly string[],
  now: Date,
): Promise<Interaction | undefined> => readOne(tx, 'interaction_lock', ' for update', [orgId, id, flowValues, now]);

/** The caller must have locked the interaction. */
export async function noteConsentDecision(
  tx: Tx,
  orgId: OrgId,
  hash: Buffer,
  decision: ConsentDecision,
): Promise<void> {
  const text = `update authorization_requests set consent = $3
    where org_id = $1 and request_hash = $2 and kind <> 'PUSHED'`;
  await prepared(tx, 'interaction_consent', text, [orgId, hash, JSON.stringify(decision)]);
}

/** The caller must have locked the interaction. */
export async function noteParameters(tx: Tx, orgId: OrgId, hash: Buffer, parameters: Parameters): Promise<void> {
  const text = `update authorization_requests set parameters = parameters || $3::jsonb
    where org_id = $1 and request_hash = $2 and kind <> 'PUSHED'`;
  await prepared(tx, 'interaction_parameters', text, [orgId, hash, JSON.stringify(parameters)]);
}

export interface NewRequest {
  readonly hash: Buffer;
  readonly clientId: ClientId;
  readonly serverId: string;
  readonly parameters: Parameters;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const INSERT = `insert into authorization_requests (org_id, request_hash, kind, server_id, client_id, parameters,
    browser_hash, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** The maximum number of interactions in one browser. New interactions replace the oldest. */
const MAXIMUM_IN_BROWSER = 20;

const MAKE_ROOM = `delete from authorization_requests
  where org_id = $1 and kind <> 'PUSHED' and request_hash in (
    select request_hash from authorization_requests
    where org_id = $1 and kind <> 'PUSHED' and browser_hash = $2
    order by created_at desc, issued_at desc offset ${MAXIMUM_IN_BROWSER - 1} for update skip locked)`;

/** Stores a request that waits for its user in the browser with this flow cookie. */
export async function insertInteraction(
  tx: Tx,
  orgId: OrgId,
  { clientId, createdAt, expiresAt, hash, parameters, serverId }: NewRequest,
  flowValue: string,
  kind: InteractionKind = 'INTERACTION',
): Promise<void> {
  const browserHash = hashSecret(flowValue);
  await prepared(tx, 'interaction_make_room', MAKE_ROOM, [orgId, browserHash]);
  const values = [orgId, hash, kind, serverId, clientId, JSON.stringify(parameters), browserHash];
  await prepared(tx, 'interaction_insert', INSERT, [...values, createdAt, expiresAt]);
}

/** Stores a pushed request, which any browser can use, but only once (RFC 9126). */
export async function insertPushedRequest(
  tx: Tx,
  orgId: OrgId,
  { clientId, createdAt, expiresAt, hash, parameters, serverId }: NewRequest,
): Promise<void> {
  const values = [orgId, hash, 'PUSHED', serverId, clientId, JSON.stringify(parameters), null, createdAt, expiresAt];
  await prepared(tx, 'pushed_request_insert', INSERT, values);
}

export async function findPushedRequest(
  db: Db,
  orgId: OrgId,
  hash: Buffer,
  now: Date,
): Promise<Pick<Interaction, 'clientId' | 'serverId' | 'parameters'> | undefined> {
  const text = `select ${COLUMNS} from authorization_requests
    where org_id = $1 and request_hash = $2 and kind = 'PUSHED' and expires_at > $3`;
  const [row] = await prepared<Interaction>(db, 'pushed_request', text, [orgId, hash, now]);
  return row;
}

/** Consumes a request of any kind. */
export async function takeRequest(tx: Tx, orgId: OrgId, hash: Buffer): Promise<boolean> {
  const text = 'delete from authorization_requests where org_id = $1 and request_hash = $2 returning 1 as taken';
  return (await prepared(tx, 'authorization_request_take', text, [orgId, hash])).length > 0;
}
