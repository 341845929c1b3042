import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { ShowPorts } from '../apps/index.ts';
import type { Zones } from '../zones/index.ts';
import type { PolicyStatus } from './lifecycle.ts';

/** Selects policies of an authorization server, and the page of them. */
export interface ServerPoliciesQuery {
  readonly status: PolicyStatus | null;
  /** Prefix of the name. */
  readonly q: string | null;
  readonly sortBy: 'priority' | 'name';
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [string, string])[];
}

export interface PoliciesPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  /** The keys of the org, which the representations of apps need. */
  readonly orgKeys: ShowPorts['orgKeys'];
  readonly zones: Pick<Zones, 'idsAt'>;
  /** A page of the policies of an authorization server, as the wire has them. 404 E0000007. */
  readonly serverPolicies: (
    context: Context,
    authServerId: string,
    query: ServerPoliciesQuery,
  ) => Promise<KeysetPage<Readonly<Record<string, unknown>>>>;
}
