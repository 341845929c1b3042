import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OrgId } from '../../kernel/ids.ts';

/** Which token a text is: its row, and the turn of its rotation. */
export interface PresentedRefreshToken {
  readonly id: string;
  readonly generation: number;
}

export interface RefreshTokenTexts {
  /** The same row and generation have one text, so that it can be told again and need not be kept. */
  textOf(orgId: OrgId, token: PresentedRefreshToken): string;
  /** Null: this service made no such token for this org. */
  read(orgId: OrgId, text: string): PresentedRefreshToken | null;
}

const FORM = /^(oar[0-9A-Za-z]{17})\.([1-9]\d{0,9})\.([A-Za-z0-9_-]{43})$/;

/** Texts of refresh tokens; `key` makes their MACs and is used for nothing else. */
export function createRefreshTokenTexts(key: Buffer): RefreshTokenTexts {
  const macOf = (orgId: OrgId, { generation, id }: PresentedRefreshToken): Buffer =>
    createHmac('sha256', key).update(`${orgId}\0${id}\0${generation}`).digest();
  return {
    textOf: (orgId, token) => `${token.id}.${token.generation}.${macOf(orgId, token).toString('base64url')}`,
    read: (orgId, text) => {
      const [, id, digits, mac] = FORM.exec(text) ?? [];
      if (id === undefined || digits === undefined || mac === undefined) return null;
      const token = { id, generation: Number(digits) };
      // Compared as bytes of one spelling: the last character of a MAC has others that decode alike.
      const expected = Buffer.from(macOf(orgId, token).toString('base64url'), 'ascii');
      return timingSafeEqual(expected, Buffer.from(mac, 'ascii')) ? token : null;
    },
  };
}
