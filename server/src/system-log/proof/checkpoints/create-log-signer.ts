import type { OrgId } from '../../../kernel/words/ids.ts';
import { boundedCache } from '../../../platform/caches/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import type { LogSigner } from '../../relay/log-signer.ts';
import type { JsonObject } from '../../write/event.ts';
import { noteLogKey } from '../log-keys-store.ts';

export type SignStatement = (
  orgId: OrgId,
  typ: string,
  claims: JsonObject,
) => Promise<{ readonly jws: string; readonly kid: string; readonly publicJwk: object }>;

const MAXIMUM_KEYS = 20_000;

/** The signer names the org in `iss`, and stores the public half of each key it uses. */
export function createLogSigner({ db, sign }: { readonly db: Db; readonly sign: SignStatement }): LogSigner {
  const noted = boundedCache<string, true>(MAXIMUM_KEYS);
  return async (orgId, typ, claims, now) => {
    const iat = Math.floor(now.getTime() / 1_000);
    const { jws, kid, publicJwk } = await sign(orgId, typ, { ...claims, iss: orgId, iat });
    const name = `${orgId}\0${kid}`;
    if (!noted.has(name)) {
      await noteLogKey(db, orgId, { kid, publicJwk: { ...publicJwk }, firstSignedAt: now });
      noted.set(name, true);
    }
    return jws;
  };
}
