import type { Version } from '../../../kernel/version.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';
import type { AppStatus } from '../lifecycle.ts';
import type { PublicJwk } from './jwk-rules.ts';

export interface StoredKey {
  readonly id: string;
  readonly kid: string | null;
  readonly jwk: PublicJwk;
  readonly status: AppStatus;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

export const jwkVersion = ({ id, revision }: StoredKey): Version => ({ kind: 'jsonWebKey', id, revision });

const keyTarget = ({ id, kid, jwk }: StoredKey): Target => ({
  id,
  type: 'JsonWebKey',
  alternateId: kid,
  displayName: jwk['use'] === 'enc' ? 'Encryption key' : 'Signing key',
});

export const keyChange = changeTarget(keyTarget, ({ kid, status }) => ({ kid, status }));
