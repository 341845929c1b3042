import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';

export interface PresentedRefreshToken {
  readonly id: string;
  readonly generation: number;
}

export interface RefreshTokenTexts {
  /**
   * Equal keys, ids and generations always give equal tokens, so this service can return a token again without
   * storing it.
   */
  textOf(orgId: OrgId, token: PresentedRefreshToken): string;
  /** Returns null unless the token was made for this org with one of the keys. */
  read(orgId: OrgId, text: string): PresentedRefreshToken | null;
}

const FORM = /^(oar[0-9A-Za-z]{17})\.([1-9]\d{0,9})\.([A-Za-z0-9_-]{43})$/;

/** The reader also accepts tokens made with an `earlier` key. */
export function createRefreshTokenTexts(key: Buffer, ...earlier: readonly Buffer[]): RefreshTokenTexts {
  const macOf = (made: Buffer, orgId: OrgId, { generation, id }: PresentedRefreshToken): Buffer =>
    createHmac('sha256', made).update(`${orgId}\0${id}\0${generation}`).digest();
  return {
    textOf: (orgId, token) => `${token.id}.${token.generation}.${macOf(key, orgId, token).toString('base64url')}`,
    read: (orgId, text) => {
      const [, id, digits, mac] = FORM.exec(text) ?? [];
      if (id === undefined || digits === undefined || mac === undefined) return null;
      const token = { id, generation: Number(digits) };
      // The encoded MACs are compared, because different last characters can decode to the same bytes.
      const isOf = (made: Buffer): boolean =>
        timingSafeEqual(
          Buffer.from(macOf(made, orgId, token).toString('base64url'), 'ascii'),
          Buffer.from(mac, 'ascii'),
        );
      return [key, ...earlier].some(isOf) ? token : null;
    },
  };
}
