import type { OrgId } from '../../kernel/words/ids.ts';
import type { PolicyEngine } from '../../management/policies/index.ts';
import type { UsersPorts } from '../../management/users/index.ts';

export interface AuthnPorts {
  readonly users: UsersPorts;
  readonly policies: Pick<PolicyEngine, 'signOn'>;
  /** Returns the ids of the active network zones that contain an address. */
  readonly zonesOf: (orgId: OrgId, clientAddress: string | null) => Promise<readonly string[]>;
}
