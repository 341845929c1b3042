import type { MasterKey } from '../../platform/crypto/index.ts';
import type { UsersPorts } from '../users/index.ts';

export interface FactorPorts {
  readonly users: UsersPorts;
  readonly masterKey: MasterKey;
}
