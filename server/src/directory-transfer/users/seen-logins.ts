/** Hashes a string to 53 bits (cyrb53). Adds 1, because 0 marks an empty slot. */
function fingerprint(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0) + 1;
}

const FIRST_CAPACITY = 65_536;
const MOST_FULL = 0.5;

/**
 * This set remembers logins by their hashes. For 10 million logins, the probability of a collision is about 1 in 200.
 */
export class SeenLogins {
  #slots = new Float64Array(FIRST_CAPACITY);
  #count = 0;

  add(key: string): boolean {
    if (this.#count >= this.#slots.length * MOST_FULL) this.#grow();
    const wasThere = this.#put(fingerprint(key));
    if (!wasThere) this.#count += 1;
    return wasThere;
  }

  #put(value: number): boolean {
    const mask = this.#slots.length - 1;
    for (let at = (value % 4294967296) & mask; ; at = (at + 1) & mask) {
      const slot = this.#slots[at];
      if (slot === value) return true;
      if (slot !== 0) continue;
      this.#slots[at] = value;
      return false;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(old.length * 2);
    for (const value of old) if (value !== 0) this.#put(value);
  }
}
