import { itemAt } from '../bytes.ts';

/** A set of events of one segment, by their ordinals. An ordinal is the place of an event in its segment, from 0. */
export class OrdinalSet {
  readonly count: number;
  readonly #words: Uint32Array;

  constructor(count: number, words = new Uint32Array((count + 31) >>> 5)) {
    this.count = count;
    this.#words = words;
  }

  /** Makes a set from a bitmap, in which the lowest bit of the first byte stands for the ordinal 0. */
  static ofBitmap(bitmap: Uint8Array, count: number): OrdinalSet {
    const words = new Uint32Array((count + 31) >>> 5);
    for (const [index, byte] of bitmap.entries()) {
      words[index >>> 2] = itemAt(words, index >>> 2) | (byte << ((index & 3) * 8));
    }
    return new OrdinalSet(count, words);
  }

  add(ordinal: number): void {
    const index = ordinal >>> 5;
    this.#words[index] = itemAt(this.#words, index) | (1 << (ordinal & 31));
  }

  has(ordinal: number): boolean {
    return ((itemAt(this.#words, ordinal >>> 5) >>> (ordinal & 31)) & 1) === 1;
  }

  /** The sets must belong to the same segment. */
  and(other: OrdinalSet): OrdinalSet {
    const words = this.#words.map((word, index) => word & itemAt(other.#words, index));
    return new OrdinalSet(this.count, words);
  }

  /** The sets must belong to the same segment. */
  or(other: OrdinalSet): OrdinalSet {
    const words = this.#words.map((word, index) => word | itemAt(other.#words, index));
    return new OrdinalSet(this.count, words);
  }

  get isEmpty(): boolean {
    return this.#words.every((word) => word === 0);
  }

  /** Returns the ordinals from `first` on and before `end`, in ascending order. */
  ordinals(first = 0, end: number = this.count): number[] {
    const found: number[] = [];
    for (let index = first >>> 5; index * 32 < end; index += 1) {
      for (let rest = itemAt(this.#words, index); rest !== 0; rest &= rest - 1) {
        const ordinal = index * 32 + 31 - Math.clz32(rest & -rest);
        if (ordinal >= first && ordinal < end) found.push(ordinal);
      }
    }
    return found;
  }
}
