export type Figures = Readonly<Record<string, number>>;

export interface StepResult {
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** The figures that a part of a program has printed. */
  readonly figures?: Figures;
}

export interface SoakState {
  readonly file: string;
  resultOf(name: string): StepResult | undefined;
  finish(name: string, result: StepResult): void;
}

export interface Program {
  readonly command: readonly string[];
  readonly rounds?: number;
  readonly roundsEach?: number;
}

export function openSoakState(folder: string, key: string, options?: { readonly isFresh?: boolean }): SoakState;
export function partsOf(program: Program): readonly { readonly name: string; readonly command: readonly string[] }[];
export function sumOf(figures: readonly Figures[]): Figures;
