import type { MasterKey } from '../../platform/crypto/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { UsersPorts } from '../users/index.ts';

export interface AppAssignmentsPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  /** The key that seals the passwords of users in apps. */
  readonly masterKey: MasterKey;
  readonly users: UsersPorts;
}
