import newQrCode from 'qrcode-generator';
import { base32, CODE_DIGITS, TIME_STEP_SECONDS } from './one-time-codes.ts';

export interface KeyNames {
  /** The name that the app shows above its code: the host of the org. */
  readonly issuer: string;
  /** The login of the user. */
  readonly account: string;
}

/** Returns the URI from which authenticator apps read a shared secret. It has ASCII characters only. */
export function keyUriOf(secret: Uint8Array, { account, issuer }: KeyNames): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = new URLSearchParams({
    secret: base32(secret),
    issuer,
    algorithm: 'SHA1',
    digits: String(CODE_DIGITS),
    period: String(TIME_STEP_SECONDS),
  });
  return `otpauth://totp/${label}?${parameters.toString().replaceAll('+', '%20')}`;
}

/** The pixels of a module. The margin of four modules is that of ISO/IEC 18004. */
const MODULE_PIXELS = 5;
const MARGIN_MODULES = 4;

/** The longest encoded account with which a camera still reads the code easily. */
const LONGEST_ACCOUNT = 300;

/** Shortens an account to whole characters. */
function shortened(account: string): string {
  let text = '';
  for (const character of account) {
    if (encodeURIComponent(text + character).length > LONGEST_ACCOUNT) break;
    text += character;
  }
  return text;
}

/** Draws the URI as a QR code. Returns a `data:` URL of a GIF image, so that no address leads to the secret. */
export function keyImageOf(secret: Uint8Array, { account, issuer }: KeyNames): string {
  const code = newQrCode(0, 'M');
  code.addData(keyUriOf(secret, { issuer, account: shortened(account) }));
  code.make();
  return code.createDataURL(MODULE_PIXELS, MODULE_PIXELS * MARGIN_MODULES);
}
