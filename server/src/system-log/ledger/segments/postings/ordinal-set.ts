/** A set of events of one segment, by their ordinals. An ordinal is the place of an event in its segment, from 0. */
export class OrdinalSet {
  readonly count: number;
  readonly #words: Uint32Array;

  constructor(count: number, words = new Uint32Array((count + 31) >>> 5)) {
    this.count = count;
    this.#words = words;
  }

  /** Makes a set from a bitmap, in which the lowest bit of the first byte is the ordinal 0. */
  static ofBitmap(bitmap: Uint8Array, count: number): OrdinalSet {
    const words = new Uint32Array((count + 31) >>> 5);
    for (let index = 0; index < bitmap.length; index += 1) {
      words[index >>> 2] = (words[index >>> 2] ?? 0) | ((bitmap[index] ?? 0) << ((index & 3) * 8));
    }
    return new OrdinalSet(count, words);
  }

  add(ordinal: number): void {
    const word = ordinal >>> 5;
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (ordinal & 31));
  }

  has(ordinal: number): boolean {
    return (((this.#words[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) === 1;
  }

  /** The sets must belong to the same segment. */
  and(other: OrdinalSet): OrdinalSet {
    const words = this.#words.slice();
    for (let index = 0; index < words.length; index += 1) {
      words[index] = (words[index] ?? 0) & (other.#words[index] ?? 0);
    }
    return new OrdinalSet(this.count, words);
  }

  /** The sets must belong to the same segment. */
  or(other: OrdinalSet): OrdinalSet {
    const words = this.#words.slice();
    for (let index = 0; index < words.length; index += 1) {
      words[index] = (words[index] ?? 0) | (other.#words[index] ?? 0);
    }
    return new OrdinalSet(this.count, words);
  }

  ordinals(): number[] {
    const found: number[] = [];
    for (let index = 0; index < this.#words.length; index += 1) {
      for (let rest = this.#words[index] ?? 0; rest !== 0; rest &= rest - 1)
        found.push(index * 32 + 31 - Math.clz32(rest & -rest));
    }
    return found;
  }
}
