import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export interface RsaKeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Makes an RSA key pair of 2,048 bits. Tests hand in pairs that were made before. */
export type MakeKeyPair = () => Promise<RsaKeyPair>;

const MODULUS_BITS = 2_048;
const generate = promisify(generateKeyPair);

/** A pair takes a tenth of a second and more: it is made on the thread pool, never on the loop. */
export const makeKeyPair: MakeKeyPair = () => generate('rsa', { modulusLength: MODULUS_BITS });
