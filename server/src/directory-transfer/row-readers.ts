import { parseExpression } from '../expression/index.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { checkStoredApp, problemOfClientId } from '../management/apps/index.ts';
import {
  checkStoredClaim,
  checkStoredScope,
  checkStoredServer,
  checkStoredServerPolicy,
  checkStoredServerRule,
} from '../management/authorization-servers/index.ts';
import { checkStoredTheme } from '../management/brands/index.ts';
import { checkStoredEventHook } from '../management/event-hooks/index.ts';
import { checkStoredProvider } from '../management/identity-providers/index.ts';
import { checkStoredLogStream } from '../management/log-streams/index.ts';
import { checkStoredOrg, readCidr, readCustomDomain } from '../management/orgs/index.ts';
import { checkStoredPolicy, checkStoredRule } from '../management/policies/index.ts';
import { checkStoredSchema, checkStoredUserType } from '../management/schemas/index.ts';
import { checkStoredZone } from '../management/zones/index.ts';
import { parseTransferredHash } from '../platform/crypto/passwords/index.ts';
import type { OrgLine } from './org-file.ts';
import { isMembers, type Members } from './user-record.ts';

export interface RowSetting {
  /** Below it are the subdomains of orgs. */
  readonly baseDomain: string;
  /** The import puts the namespace's words where the API reads them. */
  readonly context: Context;
}

/** Throws ApiError for what the API would not have taken; answers what is wrong where the API has no words for it. */
type Reader = (row: Members, setting: RowSetting) => string | null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function hash(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const parsed = parseTransferredHash(value);
  return 'problems' in parsed ? parsed.problems.join('; ') : null;
}

function groupRule({ expression }: Members): string | null {
  const parsed = parseExpression(textOf(expression));
  return parsed.ok ? null : `expression: ${parsed.fault.message} at position ${parsed.fault.at}.`;
}

/** Whether it is what a user of the file is called, only the whole file tells: see `assertNamesApart`. */
const retiredClientId = ({ name_key: key }: Members): string | null => {
  const problem = problemOfClientId(textOf(key));
  return problem === null ? null : `name_key: ${problem}`;
};

/** Readers of the slices, which throw what the API would answer. */
const judgedBy = (checks: Readonly<Record<string, (row: Members, context: Context) => void>>): [string, Reader][] =>
  Object.entries(checks).map(([table, check]) => [table, (row, { context }) => (check(row, context), null)]);

/** One reader a table: the API's own rules for what costs, or means, something outside the org. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['orgs', (row) => (checkStoredOrg(row), null)],
  [
    'org_domains',
    ({ domain }, { baseDomain }) =>
      readCustomDomain(textOf(domain), baseDomain) === domain ? null : 'domain: must be in lower case.',
  ],
  ['org_trusted_proxies', ({ cidr }) => (readCidr(textOf(cidr)), null)],
  ['user_sign_in', ({ password, recovery_answer: answer }) => hash(password) ?? hash(answer)],
  ['user_password_history', ({ password }) => hash(password)],
  ['client_ids', retiredClientId],
  ['group_rules', groupRule],
  ...judgedBy({
    network_zones: checkStoredZone,
    themes: checkStoredTheme,
    user_types: checkStoredUserType,
    profile_schemas: checkStoredSchema,
    identity_providers: checkStoredProvider,
    apps: checkStoredApp,
    policies: checkStoredPolicy,
    policy_rules: checkStoredRule,
    authorization_servers: checkStoredServer,
    authorization_server_scopes: checkStoredScope,
    authorization_server_claims: checkStoredClaim,
    authorization_server_policies: checkStoredServerPolicy,
    authorization_server_rules: checkStoredServerRule,
    event_hooks: checkStoredEventHook,
    log_streams: checkStoredLogStream,
  }),
]);

/** As much as a request may bring (a body of the API), and deeper than any document goes. */
const MAXIMUM_DOCUMENT_CHARACTERS = 1_048_576;
const MAXIMUM_DEPTH = 64;

function depthOf(value: unknown, depth = 1): number {
  if (typeof value !== 'object' || value === null || depth > MAXIMUM_DEPTH) return depth;
  return Object.values(value).reduce<number>((most, item) => Math.max(most, depthOf(item, depth + 1)), depth);
}

function document(row: Members): string | null {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== 'object' || value === null) continue;
    if (depthOf(value) > MAXIMUM_DEPTH) return `${name}: goes deeper than ${MAXIMUM_DEPTH} levels.`;
    if (JSON.stringify(value).length > MAXIMUM_DOCUMENT_CHARACTERS) {
      return `${name}: is longer than ${MAXIMUM_DOCUMENT_CHARACTERS} characters.`;
    }
  }
  return null;
}

/** Why a row of a file is refused: what the API would not have taken is not taken from a file. Null: it is not. */
export function refusalOf({ row, table }: OrgLine, setting: RowSetting): string | null {
  try {
    const values: unknown = JSON.parse(row);
    if (!isMembers(values)) return 'The row is no object.';
    return document(values) ?? READERS.get(table)?.(values, setting) ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return 'The row is not JSON.';
    // Stored documents are written for the wire by code that goes by their types: a file's may be anything.
    if (error instanceof TypeError) return 'The row is not of the form that this server stores.';
    if (!(error instanceof ApiError)) throw error;
    const causes = error.causes.map(({ errorSummary }) => errorSummary);
    return causes.length === 0 ? error.message : causes.join('; ');
  }
}
