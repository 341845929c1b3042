import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { ShowPorts } from '../apps/index.ts';
import type { Zones } from '../zones/index.ts';
import type { PolicyStatus } from './lifecycle.ts';

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
  /** Representations of apps contain values derived from the keys of the org. */
  readonly orgKeys: ShowPorts['orgKeys'];
  readonly zones: Pick<Zones, 'idsAt'>;
  /** The policies have the form that the API returns. */
  readonly serverPolicies: (
    context: Context,
    authServerId: string,
    query: ServerPoliciesQuery,
  ) => Promise<KeysetPage<Readonly<Record<string, unknown>>>>;
}
