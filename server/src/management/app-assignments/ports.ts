import type { MasterKey } from '../../platform/crypto/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { UsersPorts } from '../users/index.ts';

export interface AppAssignmentsPorts extends Pick<Foundation, 'db' | 'work' | 'cursors'> {
  /** Seals the passwords that users have in apps. */
  readonly masterKey: MasterKey;
  /** Used to find the user whose links are requested. */
  readonly users: UsersPorts;
}
