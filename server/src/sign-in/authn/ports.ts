import type { OrgId } from '../../kernel/words/ids.ts';
import type { FactorPorts } from '../../management/factors/index.ts';
import type { PolicyEngine } from '../../management/policies/index.ts';

export interface AuthnPorts extends FactorPorts {
  readonly policies: Pick<PolicyEngine, 'signOn'>;
  /** Returns the ids of the active network zones that contain an address. */
  readonly zonesOf: (orgId: OrgId, clientAddress: string | null) => Promise<readonly string[]>;
}
