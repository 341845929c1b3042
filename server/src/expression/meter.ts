export interface MeterLimits {
  /**
   * The maximum number of steps: one for each evaluated node, plus those charged for operators, functions and arrays.
   */
  readonly steps: number;
  /** The maximum length of one new string, in UTF-16 units. */
  readonly textLength: number;
  readonly arrayLength: number;
  /** The maximum number of UTF-16 units and elements in all new values together. */
  readonly total: number;
}

export const METER_LIMITS: MeterLimits = { steps: 20_000, textLength: 32_768, arrayLength: 2_000, total: 262_144 };

export type Exhausted = 'steps' | 'size';

export class MeterExhausted extends Error {
  readonly exhausted: Exhausted;

  constructor(exhausted: Exhausted) {
    super(exhausted);
    this.exhausted = exhausted;
  }
}

const CHARACTERS_PER_STEP = 64;

/** A meter counts the cost of evaluations. Several evaluations may share one. */
export class Meter {
  readonly #limits: MeterLimits;
  #steps = 0;
  #made = 0;

  constructor(limits: MeterLimits = METER_LIMITS) {
    this.#limits = limits;
  }

  get steps(): number {
    return this.#steps;
  }

  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.#limits.steps) throw new MeterExhausted('steps');
  }

  read(characters: number): void {
    this.step(Math.ceil(characters / CHARACTERS_PER_STEP));
  }

  /** Charges the cost of a new string of this length, in UTF-16 units. */
  text(length: number): void {
    if (length > this.#limits.textLength) throw new MeterExhausted('size');
    this.read(length);
    this.#make(length);
  }

  array(length: number): void {
    if (length > this.#limits.arrayLength) throw new MeterExhausted('size');
    this.step(length);
    this.#make(length);
  }

  #make(amount: number): void {
    this.#made += amount;
    if (this.#made > this.#limits.total) throw new MeterExhausted('size');
  }
}
