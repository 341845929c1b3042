import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';

/** The parts of a refresh token's text: the id of its row, and its generation. */
export interface PresentedRefreshToken {
  readonly id: string;
  readonly generation: number;
}

export interface RefreshTokenTexts {
  /** A row and a generation always give the same text, which can thus be returned again without being stored. */
  textOf(orgId: OrgId, token: PresentedRefreshToken): string;
  /** Reads the text of a token. Returns null if this service did not make the token for this org. */
  read(orgId: OrgId, text: string): PresentedRefreshToken | null;
}

const FORM = /^(oar[0-9A-Za-z]{17})\.([1-9]\d{0,9})\.([A-Za-z0-9_-]{43})$/;

/** Creates the reader and writer of refresh tokens. The reader also accepts texts made with an `earlier` key. */
export function createRefreshTokenTexts(key: Buffer, ...earlier: readonly Buffer[]): RefreshTokenTexts {
  const macOf = (made: Buffer, orgId: OrgId, { generation, id }: PresentedRefreshToken): Buffer =>
    createHmac('sha256', made).update(`${orgId}\0${id}\0${generation}`).digest();
  return {
    textOf: (orgId, token) => `${token.id}.${token.generation}.${macOf(key, orgId, token).toString('base64url')}`,
    read: (orgId, text) => {
      const [, id, digits, mac] = FORM.exec(text) ?? [];
      if (id === undefined || digits === undefined || mac === undefined) return null;
      const token = { id, generation: Number(digits) };
      // The base64url texts are compared, because several last characters decode to the same bytes.
      const isOf = (made: Buffer): boolean =>
        timingSafeEqual(
          Buffer.from(macOf(made, orgId, token).toString('base64url'), 'ascii'),
          Buffer.from(mac, 'ascii'),
        );
      return [key, ...earlier].some(isOf) ? token : null;
    },
  };
}
