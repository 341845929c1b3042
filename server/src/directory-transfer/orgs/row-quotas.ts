import {
  MAXIMUM_APP_KEYS,
  MAXIMUM_APPROVALS,
  MAXIMUM_CSRS,
  MAXIMUM_SECRETS,
  MAXIMUM_SIGNING_KEYS,
} from '../../management/apps/index.ts';
import {
  MAXIMUM_CLAIMS,
  MAXIMUM_SCOPES,
  MAXIMUM_SERVER_POLICIES,
  MAXIMUM_SERVER_RULES,
  MAXIMUM_SERVERS,
  MAXIMUM_TRUSTED,
} from '../../management/authorization-servers/index.ts';
import { MAXIMUM_BEHAVIORS } from '../../management/behaviors/index.ts';
import { MAXIMUM_CUSTOMIZATIONS } from '../../management/brands/index.ts';
import { MAXIMUM_CUSTOM_ROLES } from '../../management/custom-roles/index.ts';
import { MAXIMUM_EVENT_HOOKS } from '../../management/event-hooks/index.ts';
import { MAXIMUM_FACTORS } from '../../management/factors/index.ts';
import { MAXIMUM_EXCLUDED_USERS, MAXIMUM_GROUP_RULES } from '../../management/group-rules/index.ts';
import { MAXIMUM_OWNERS } from '../../management/groups/index.ts';
import { MAXIMUM_PROVIDER_KEYS, MAXIMUM_PROVIDERS } from '../../management/identity-providers/index.ts';
import { MAXIMUM_DEFINITIONS } from '../../management/linked-objects/index.ts';
import { MAXIMUM_LOG_STREAMS } from '../../management/log-streams/index.ts';
import {
  expressionsIn,
  MAXIMUM_EXPRESSIONS,
  MAXIMUM_POLICIES,
  maximumRulesOfType,
} from '../../management/policies/index.ts';
import { MAXIMUM_RESOURCE_SETS, MAXIMUM_RESOURCES_OF_SET } from '../../management/resource-sets/index.ts';
import { MAXIMUM_MEMBERS_OF_BINDING } from '../../management/roles/index.ts';
import { MAXIMUM_USER_TYPES } from '../../management/schemas/index.ts';
import { MAXIMUM_TRUSTED_ORIGINS } from '../../management/trusted-origins/index.ts';
import { MAXIMUM_PROXIES, MAXIMUM_ZONES, proxiesIn } from '../../management/zones/index.ts';
import type { Members } from '../formats/user-record.ts';

export interface RowQuota {
  readonly maximum: number | ((row: Members) => number);
  /** The columns by which rows are grouped. The maximum then applies to each group. */
  readonly per?: readonly string[];
  /** If this is set, the maximum limits the number of parts in the rows, not the number of rows. */
  readonly parts?: { readonly name: string; readonly in: (row: Members) => number };
}

/** Allows one default row (`system`). For all other rows, `maximum` returns the limit. */
const besideTheDefault = (maximum: (row: Members) => number) => (row: Members) =>
  row['system'] === true ? 1 : maximum(row);

export const ROW_QUOTAS: Readonly<Record<string, readonly RowQuota[]>> = {
  trusted_origins: [{ maximum: MAXIMUM_TRUSTED_ORIGINS }],
  network_zones: [{ maximum: MAXIMUM_ZONES }, { maximum: MAXIMUM_PROXIES, parts: { name: 'proxies', in: proxiesIn } }],
  behaviors: [{ maximum: MAXIMUM_BEHAVIORS }],
  email_customizations: [{ maximum: MAXIMUM_CUSTOMIZATIONS, per: ['template'] }],
  user_types: [{ maximum: MAXIMUM_USER_TYPES }],
  user_factors: [{ maximum: MAXIMUM_FACTORS, per: ['user_id'] }],
  linked_object_definitions: [{ maximum: MAXIMUM_DEFINITIONS }],
  identity_providers: [{ maximum: MAXIMUM_PROVIDERS }],
  identity_provider_keys: [{ maximum: MAXIMUM_PROVIDER_KEYS }],
  app_keys: [{ maximum: MAXIMUM_APP_KEYS, per: ['app_id'] }],
  app_secrets: [{ maximum: MAXIMUM_SECRETS, per: ['app_id'] }],
  app_signing_keys: [{ maximum: MAXIMUM_SIGNING_KEYS, per: ['app_id'] }],
  app_csrs: [{ maximum: MAXIMUM_CSRS, per: ['app_id'] }],
  absent_user_approvals: [{ maximum: MAXIMUM_APPROVALS, per: ['app_id'] }],
  group_owners: [{ maximum: MAXIMUM_OWNERS, per: ['group_id'] }],
  group_rules: [{ maximum: MAXIMUM_GROUP_RULES }],
  group_rule_exclusions: [{ maximum: MAXIMUM_EXCLUDED_USERS, per: ['rule_id'] }],
  custom_roles: [{ maximum: MAXIMUM_CUSTOM_ROLES }],
  resource_sets: [{ maximum: MAXIMUM_RESOURCE_SETS }],
  resource_set_resources: [{ maximum: MAXIMUM_RESOURCES_OF_SET, per: ['resource_set_id'] }],
  role_binding_members: [{ maximum: MAXIMUM_MEMBERS_OF_BINDING, per: ['resource_set_id', 'role_id'] }],
  policies: [{ maximum: besideTheDefault(() => MAXIMUM_POLICIES), per: ['type', 'system'] }],
  policy_rules: [
    { maximum: besideTheDefault(({ type }) => maximumRulesOfType(type)), per: ['policy_id', 'system'] },
    { maximum: MAXIMUM_EXPRESSIONS, per: ['policy_id'], parts: { name: 'regular expressions', in: expressionsIn } },
  ],
  authorization_servers: [{ maximum: MAXIMUM_SERVERS }],
  authorization_server_scopes: [{ maximum: MAXIMUM_SCOPES, per: ['server_id'] }],
  authorization_server_claims: [{ maximum: MAXIMUM_CLAIMS, per: ['server_id'] }],
  authorization_server_policies: [{ maximum: MAXIMUM_SERVER_POLICIES, per: ['server_id'] }],
  authorization_server_rules: [{ maximum: MAXIMUM_SERVER_RULES, per: ['server_id', 'policy_id'] }],
  authorization_server_trusts: [{ maximum: MAXIMUM_TRUSTED, per: ['server_id'] }],
  event_hooks: [{ maximum: MAXIMUM_EVENT_HOOKS }],
  log_streams: [{ maximum: MAXIMUM_LOG_STREAMS }],
};

export class RowCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a row. Returns the reason for refusing the row if it exceeds a limit; otherwise null. */
  refusalOf(table: string, row: Members): string | null {
    const quotas = Object.hasOwn(ROW_QUOTAS, table) ? (ROW_QUOTAS[table] ?? []) : [];
    return quotas.reduce<string | null>((refusal, quota) => this.#add(table, row, quota) ?? refusal, null);
  }

  #add(table: string, row: Members, { maximum, parts, per = [] }: RowQuota): string | null {
    const key = JSON.stringify([table, parts?.name, ...per.map((column) => row[column])]);
    const own = parts?.in(row) ?? 1;
    if (own === 0) return null;
    const count = (this.#counts.get(key) ?? 0) + own;
    this.#counts.set(key, count);
    const most = typeof maximum === 'number' ? maximum : maximum(row);
    if (count <= most) return null;
    const among = per.length === 0 ? 'an org' : `one ${per.join(' and ')}`;
    return `The API allows ${among} at most ${most} ${parts?.name ?? 'of these'}.`;
  }
}
