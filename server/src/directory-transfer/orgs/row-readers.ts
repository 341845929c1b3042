import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors/errors.ts';
import { MAXIMUM_MARKS, refusalOf as refusalOfText } from '../../kernel/texts/text.ts';
import { checkStoredToken } from '../../management/api-tokens/index.ts';
import { checkStoredAppGroup, checkStoredAppUser } from '../../management/app-assignments/index.ts';
import {
  checkStoredApp,
  checkStoredGrant,
  checkStoredKey,
  checkStoredLogo,
  checkStoredProvisioning,
  checkStoredSigningKey,
  problemOfClientId,
} from '../../management/apps/index.ts';
import {
  checkStoredClaim,
  checkStoredScope,
  checkStoredServer,
  checkStoredServerPolicy,
  checkStoredServerRule,
} from '../../management/authorization-servers/index.ts';
import { checkStoredBehavior } from '../../management/behaviors/index.ts';
import {
  checkStoredCustomization,
  checkStoredTemplateSettings,
  checkStoredTheme,
  checkStoredThemeImage,
  checkStoredThemeImages,
  type ImagePlaces,
} from '../../management/brands/index.ts';
import { checkStoredLabel, checkStoredPermission } from '../../management/custom-roles/index.ts';
import { checkStoredEventHook } from '../../management/event-hooks/index.ts';
import { checkStoredFactor } from '../../management/factors/index.ts';
import { checkStoredGroupRule } from '../../management/group-rules/index.ts';
import { checkStoredGroup } from '../../management/groups/index.ts';
import { checkStoredProvider, checkStoredProviderKey } from '../../management/identity-providers/index.ts';
import { checkStoredDefinition } from '../../management/linked-objects/index.ts';
import { checkStoredLogStream } from '../../management/log-streams/index.ts';
import { checkStoredOrg, readCidr, readCustomDomain } from '../../management/orgs/index.ts';
import { checkStoredPolicy, checkStoredRule } from '../../management/policies/index.ts';
import { checkStoredMapping } from '../../management/profile-mappings/index.ts';
import { checkStoredResource } from '../../management/resource-sets/index.ts';
import { checkStoredAssignment, checkStoredTarget } from '../../management/roles/index.ts';
import { checkStoredSchema, checkStoredUserType } from '../../management/schemas/index.ts';
import { checkStoredTrustedOrigin } from '../../management/trusted-origins/index.ts';
import { checkStoredUser } from '../../management/users/index.ts';
import { checkStoredZone } from '../../management/zones/index.ts';
import { checkStoredServerKey } from '../../oauth/index.ts';
import { parseTransferredHash } from '../../platform/crypto/passwords/index.ts';
import { isMembers, type Members } from '../formats/user-record.ts';
import type { OrgLine } from './org-file.ts';
import { RowCounts } from './row-quotas.ts';

export interface RowSetting {
  readonly baseDomain: string;
  readonly context: Context;
}

interface Judging extends RowSetting {
  readonly counts: RowCounts;
  readonly images: ImagePlaces;
}

/** Throws ApiError or returns the reason if the row must be refused. Returns null if the row is valid. */
type Reader = (row: Members, setting: Judging) => string | null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function hash(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const parsed = parseTransferredHash(value);
  return 'problems' in parsed ? parsed.problems.join('; ') : null;
}

/** Checks only the form of the id. `assertNamesApart` in the import finds names that users share with clients. */
const retiredClientId = ({ name_key: key }: Members): string | null => {
  const problem = problemOfClientId(textOf(key));
  return problem === null ? null : `name_key: ${problem}`;
};

const judgedBy = (checks: Readonly<Record<string, (row: Members, context: Context) => void>>): [string, Reader][] =>
  Object.entries(checks).map(([table, check]) => [table, (row, { context }) => (check(row, context), null)]);

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
  ['user_factors', (row) => (checkStoredFactor(row), hash(row['answer']))],
  ['client_ids', retiredClientId],
  ['theme_images', (row, { images }) => (checkStoredThemeImage(row, images), null)],
  ['themes', (row, { context, images }) => (checkStoredTheme(row, context), checkStoredThemeImages(row, images), null)],
  ...judgedBy({
    trusted_origins: checkStoredTrustedOrigin,
    network_zones: checkStoredZone,
    behaviors: checkStoredBehavior,
    email_customizations: checkStoredCustomization,
    email_template_settings: checkStoredTemplateSettings,
    user_types: checkStoredUserType,
    profile_schemas: checkStoredSchema,
    users: checkStoredUser,
    linked_object_definitions: checkStoredDefinition,
    identity_providers: checkStoredProvider,
    identity_provider_keys: checkStoredProviderKey,
    apps: checkStoredApp,
    app_keys: checkStoredKey,
    app_signing_keys: checkStoredSigningKey,
    app_logos: checkStoredLogo,
    app_provisioning: checkStoredProvisioning,
    app_grants: checkStoredGrant,
    profile_mappings: checkStoredMapping,
    groups: checkStoredGroup,
    group_rules: checkStoredGroupRule,
    app_users: checkStoredAppUser,
    app_groups: checkStoredAppGroup,
    user_role_assignments: checkStoredAssignment,
    group_role_assignments: checkStoredAssignment,
    client_role_assignments: checkStoredAssignment,
    role_targets: checkStoredTarget,
    custom_roles: checkStoredLabel,
    custom_role_permissions: checkStoredPermission,
    resource_sets: checkStoredLabel,
    resource_set_resources: checkStoredResource,
    api_tokens: checkStoredToken,
    policies: checkStoredPolicy,
    policy_rules: checkStoredRule,
    authorization_servers: checkStoredServer,
    authorization_server_scopes: checkStoredScope,
    authorization_server_claims: checkStoredClaim,
    authorization_server_policies: checkStoredServerPolicy,
    authorization_server_rules: checkStoredServerRule,
    event_hooks: checkStoredEventHook,
    log_streams: checkStoredLogStream,
    signing_keys: checkStoredServerKey,
  }),
]);

export const READ_TABLES: ReadonlySet<string> = new Set(READERS.keys());

const IDS = 'only ids of rows in other tables, and times, validated by the foreign keys and checks of the table';
const DERIVED = 'derived from profiles for searches; a wrong value misleads only searches in the same org';

/** The tables without a reader, each with the reason. */
export const UNREAD_TABLES: Readonly<Record<string, string>> = {
  user_attribute_values: DERIVED,
  user_unique_values: DERIVED,
  token_subjects: 'a hash that is only compared with other hashes',
  linked_object_names: 'the names of definitions, which are validated where the foreign key points',
  linked_object_values: IDS,
  app_numbers: 'a counter for the name of the next app',
  app_secrets: 'a sealed secret that the service made, and its hash',
  app_csrs: 'a request that the service made, with the sealed key that it needs',
  absent_user_approvals: 'a record of the roles of approvers; their current roles are checked when it is used',
  group_attribute_values: DERIVED,
  group_owners: IDS,
  group_members: IDS,
  group_rule_exclusions: IDS,
  group_rule_members: IDS,
  group_rule_states: 'numbers of the pass over all users that begins after the import',
  role_bindings: IDS,
  role_binding_members: IDS,
  app_policies: IDS,
  authorization_server_trusts: IDS,
  user_consents: IDS,
  jobs: 'one of the four exported kinds of jobs, each of which validates its payload and works within the org',
};

/** The maximum length of a string or JSON document in a row, in UTF-16 units. */
const MAXIMUM_DOCUMENT_CHARACTERS = 1_048_576;
const MAXIMUM_DEPTH = 64;

function depthOf(value: unknown, depth = 1): number {
  if (typeof value !== 'object' || value === null || depth > MAXIMUM_DEPTH) return depth;
  return Object.values(value).reduce<number>((most, item) => Math.max(most, depthOf(item, depth + 1)), depth);
}

/** Tables with images, which may be longer than other strings. Their readers limit the length of images. */
const WITH_PICTURES: ReadonlySet<string> = new Set(['theme_images', 'app_logos']);

/** Limits the length of a string, and of its runs of combining marks, which PostgreSQL normalizes in quadratic time. */
function problemOfText(name: string, text: string): string | null {
  const refusal = refusalOfText(text, MAXIMUM_DOCUMENT_CHARACTERS);
  if (text.length > MAXIMUM_DOCUMENT_CHARACTERS || refusal === 'tooLong') {
    return `${name}: must be at most ${MAXIMUM_DOCUMENT_CHARACTERS} characters.`;
  }
  return refusal === null ? null : `${name}: must have at most ${MAXIMUM_MARKS} combining marks in a row.`;
}

function problemOfDocument(name: string, value: object): string | null {
  if (depthOf(value) > MAXIMUM_DEPTH) return `${name}: must be at most ${MAXIMUM_DEPTH} levels deep.`;
  if (JSON.stringify(value).length <= MAXIMUM_DOCUMENT_CHARACTERS) return null;
  return `${name}: must be at most ${MAXIMUM_DOCUMENT_CHARACTERS} characters.`;
}

function problemOfSize(table: string, row: Members): string | null {
  for (const [name, value] of Object.entries(row)) {
    const isText = typeof value === 'string' && !(name === 'content' && WITH_PICTURES.has(table));
    const problem = isText
      ? problemOfText(name, value)
      : typeof value === 'object' && value !== null
        ? problemOfDocument(name, value)
        : null;
    if (problem !== null) return problem;
  }
  return null;
}

function refusalOf({ row, table }: OrgLine, setting: Judging): string | null {
  try {
    const values: unknown = JSON.parse(row);
    if (!isMembers(values)) return 'The row is not an object.';
    return (
      problemOfSize(table, values) ?? READERS.get(table)?.(values, setting) ?? setting.counts.refusalOf(table, values)
    );
  } catch (error) {
    if (error instanceof SyntaxError) return 'The row is not JSON.';
    // Checks of stored documents may throw TypeError, because documents in a file can have any shape.
    if (error instanceof TypeError) return 'The row does not have the form that this server stores.';
    if (!(error instanceof ApiError)) throw error;
    const causes = error.causes.map(({ errorSummary }) => errorSummary);
    return causes.length === 0 ? error.message : causes.join('; ');
  }
}

/**
 * Returns a function that must get the rows in the order of the file, because it counts them and remembers images. For
 * each row, it returns the reason for refusing the row, or null.
 */
export function rowJudge(setting: RowSetting): (line: OrgLine) => string | null {
  const judging = { ...setting, counts: new RowCounts(), images: new Map() };
  return (line) => refusalOf(line, judging);
}
