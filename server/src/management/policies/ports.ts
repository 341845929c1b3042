import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { ShowPorts } from '../apps/index.ts';
import type { Zones } from '../zones/index.ts';
import type { PolicyStatus } from './lifecycle.ts';

/** The filter, order and page for a list of the policies of an authorization server. */
export interface ServerPoliciesQuery {
  readonly status: PolicyStatus | null;
  /** The beginning of the name. */
  readonly q: string | null;
  readonly sortBy: 'priority' | 'name';
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [string, string])[];
}

export interface PoliciesPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  /** The keys of the org. Representations of apps contain values derived from them. */
  readonly orgKeys: ShowPorts['orgKeys'];
  readonly zones: Pick<Zones, 'idsAt'>;
  /** Lists a page of the policies of an authorization server, as the API shows them. Throws 404 E0000007. */
  readonly serverPolicies: (
    context: Context,
    authServerId: string,
    query: ServerPoliciesQuery,
  ) => Promise<KeysetPage<Readonly<Record<string, unknown>>>>;
}
