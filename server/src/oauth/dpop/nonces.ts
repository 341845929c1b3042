import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';

/** DPoP nonces (RFC 9449 8) are not stored. Each consists of its time of issue and a MAC over that time and the org. */
export interface DpopNonces {
  issue(orgId: OrgId, now: Date): string;
  isFresh(orgId: OrgId, nonce: string, now: Date): boolean;
}

const LIFETIME_SECONDS = 300;
/** The process that issued a nonce may have a clock that is ahead of ours by this much. */
const MAXIMUM_SKEW_SECONDS = 60;
const INSTANT_BYTES = 6;
const MAC_BYTES = 16;
const FORM = /^[\w-]{30}$/;

/** `key` is derived from the master key, so that every process accepts the nonces of the others. */
export function createDpopNonces(key: Buffer): DpopNonces {
  const macOf = (orgId: OrgId, instant: Buffer): Buffer =>
    createHmac('sha256', key).update(instant).update(orgId).digest().subarray(0, MAC_BYTES);
  return {
    issue(orgId, now) {
      const instant = Buffer.alloc(INSTANT_BYTES);
      instant.writeUIntBE(Math.floor(now.getTime() / 1_000), 0, INSTANT_BYTES);
      return Buffer.concat([instant, macOf(orgId, instant)]).toString('base64url');
    },
    isFresh(orgId, nonce, now) {
      if (!FORM.test(nonce)) return false;
      const bytes = Buffer.from(nonce, 'base64url');
      const instant = bytes.subarray(0, INSTANT_BYTES);
      if (!timingSafeEqual(bytes.subarray(INSTANT_BYTES), macOf(orgId, instant))) return false;
      const ageSeconds = now.getTime() / 1_000 - instant.readUIntBE(0, INSTANT_BYTES);
      return ageSeconds < LIFETIME_SECONDS && ageSeconds > -MAXIMUM_SKEW_SECONDS;
    },
  };
}
