import { itemAt } from '../bytes.ts';

/** Pairs of a search term, as an unsigned number, and the ordinal of an event that has it. */
export interface TermPairs {
  readonly terms: Uint32Array;
  readonly ordinals: Uint16Array;
}

const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

/** Sorts the pairs by one digit of their terms. Pairs with the same digit keep their order. */
function sortedByDigit(from: TermPairs, to: TermPairs, shift: number): TermPairs {
  const { ordinals, terms } = from;
  const places = new Uint32Array(DIGITS + 1);
  for (const term of terms) {
    const digit = ((term >>> shift) & (DIGITS - 1)) + 1;
    places[digit] = itemAt(places, digit) + 1;
  }
  for (let digit = 1; digit < DIGITS; digit += 1) places[digit] = itemAt(places, digit) + itemAt(places, digit - 1);
  for (let at = 0; at < terms.length; at += 1) {
    const term = itemAt(terms, at);
    const digit = (term >>> shift) & (DIGITS - 1);
    const place = itemAt(places, digit);
    places[digit] = place + 1;
    to.terms[place] = term;
    to.ordinals[place] = itemAt(ordinals, at);
  }
  return to;
}

const pairsFor = (length: number): TermPairs => ({
  terms: new Uint32Array(length),
  ordinals: new Uint16Array(length),
});

/**
 * Returns the pairs of all events, in ascending order of terms, and for one term in ascending order of ordinals. There
 * may be millions of pairs, so they are sorted digit by digit, without comparisons.
 */
export function termPairsOf(termsOfEvents: readonly Int32Array[]): TermPairs {
  const length = termsOfEvents.reduce((sum, terms) => sum + terms.length, 0);
  const pairs = pairsFor(length);
  // This view has the same type as the given terms, so `set` copies them without a conversion.
  const signed = new Int32Array(pairs.terms.buffer);
  let at = 0;
  for (const [ordinal, terms] of termsOfEvents.entries()) {
    signed.set(terms, at);
    pairs.ordinals.fill(ordinal, at, at + terms.length);
    at += terms.length;
  }
  let sorted = pairs;
  let spare = pairsFor(length);
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    const filled = sortedByDigit(sorted, spare, shift);
    spare = sorted;
    sorted = filled;
  }
  return sorted;
}
