import { createHmac, timingSafeEqual } from 'node:crypto';

/** The length of a time step of TOTP (RFC 6238 4.1) in seconds. */
export const TIME_STEP_SECONDS = 30;
export const CODE_DIGITS = 6;

/** A code of this many steps before or after an expected one is accepted, because clocks differ (RFC 6238 5.2). */
const TOLERATED_STEPS = 1;
/** The maximum drift that is remembered. A code that is older than two steps is never accepted. */
const MAXIMUM_DRIFT_STEPS = 1;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS_A_CHARACTER = 5;

/** Encodes bytes in Base32 without padding (RFC 4648 6), as authenticator apps expect secrets. */
export function base32(bytes: Uint8Array): string {
  let [text, bits, held] = ['', 0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    held += 8;
    for (; held >= BITS_A_CHARACTER; held -= BITS_A_CHARACTER) {
      text += BASE32[(bits >> (held - BITS_A_CHARACTER)) & 0x1f] ?? '';
    }
  }
  return held === 0 ? text : text + (BASE32[(bits << (BITS_A_CHARACTER - held)) & 0x1f] ?? '');
}

export const stepAt = (now: Date): number => Math.floor(now.getTime() / 1_000 / TIME_STEP_SECONDS);

/** Computes the HOTP value of a counter (RFC 4226 5.3). TOTP uses the time step as the counter. */
export function codeOf(secret: Uint8Array, counter: number, digits = CODE_DIGITS, algorithm = 'sha1'): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const digest = createHmac(algorithm, secret).update(message).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export interface CodeState {
  readonly lastStep: number | null;
  readonly driftSteps: number;
}

export type CodeVerdict =
  | { readonly kind: 'right'; readonly state: CodeState }
  | { readonly kind: 'wrong' | 'replayed' };

const isCode = (code: string): boolean => /^\d{6}$/.test(code);

const boundedDrift = (steps: number): number => Math.max(-MAXIMUM_DRIFT_STEPS, Math.min(MAXIMUM_DRIFT_STEPS, steps));

/**
 * Finds the time step of a code near the current step, or near the one that the remembered drift makes of it
 * (RFC 6238 6). Codes near the current step are always accepted, because a clock may have been corrected. A right code
 * returns the state after it: the codes of its step and of all earlier steps are `replayed` from then on
 * (RFC 6238 5.2). All candidates are compared, so that the time reveals nothing about the code.
 */
export function judgeCode(
  secret: Uint8Array,
  code: string,
  now: Date,
  { driftSteps, lastStep }: CodeState,
): CodeVerdict {
  if (!isCode(code)) return { kind: 'wrong' };
  const given = Buffer.from(code);
  const step = stepAt(now);
  const first = step + Math.min(0, driftSteps) - TOLERATED_STEPS;
  const last = step + Math.max(0, driftSteps) + TOLERATED_STEPS;
  let found: number | null = null;
  for (let candidate = first; candidate <= last; candidate += 1) {
    const isSame = timingSafeEqual(given, Buffer.from(codeOf(secret, Math.max(0, candidate))));
    // If two steps have the same code, the later one counts, because it also ends the earlier one.
    if (isSame) found = candidate;
  }
  if (found === null) return { kind: 'wrong' };
  if (lastStep !== null && found <= lastStep) return { kind: 'replayed' };
  return { kind: 'right', state: { lastStep: found, driftSteps: boundedDrift(found - step) } };
}
