/** The cost of a Unicode class such as `\pL`, in instructions. */
const TABLE_COST = 100;
/** If case is ignored, this many characters of a range cost one instruction. */
const FOLDED_CHARACTERS = 32;
/** The first and last characters that have case variants in Unicode 15. */
const [FIRST_FOLDED, LAST_FOLDED] = [0x41, 0x1e943];
/** The costs of a capturing group, any other group, an alternative and a repetition, in instructions. */
const [CAPTURE_COST, GROUP_COST, ALTERNATIVE_COST, REPEAT_COST] = [3, 1, 2, 2];

const COUNTED = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const BRACED = /\{[^}]*\}/y;
const GROUP_START = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]?))?/y;
const CODE = /\\x(?:\{([\dA-Fa-f]{1,8})\}|([\dA-Fa-f]{2}))/y;
const IGNORES_CASE = /\(\?[a-zA-Z-]*i/;

function read(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

class Walk {
  readonly #text: string;
  readonly #ignoresCase: boolean;
  #at = 0;
  /** Costs that occur only once, even if a part is repeated. */
  #tables = 0;
  /**
   * The open groups, starting with the whole pattern. `sum` is the cost of the parts read so far, and `own` is the
   * group's own cost.
   */
  readonly #levels: { sum: number; readonly own: number }[] = [{ sum: 0, own: 0 }];
  /** The cost of the last part, to which a repetition applies. */
  #last = 0;

  constructor(text: string, ignoresCase: boolean) {
    this.#text = text;
    this.#ignoresCase = ignoresCase || IGNORES_CASE.test(text);
  }

  cost(): number {
    while (this.#at < this.#text.length) this.#part(this.#text.charAt(this.#at));
    return this.#tables + this.#levels.reduce((all, { sum }) => all + sum, 0);
  }

  #add(cost: number): void {
    const level = this.#levels.at(-1);
    if (level !== undefined) level.sum += cost;
    this.#last = cost;
  }

  /** Adds the cost of a repetition: `times` copies of the last part, of which `optional` may be absent. */
  #repeat(times: number, optional: number): void {
    const last = this.#last;
    const more = last * (Math.max(1, times) - 1) + optional + REPEAT_COST;
    this.#add(more);
    this.#last = last + more;
  }

  #part(character: string): void {
    if (character === '(') this.#open();
    else if (character === ')') this.#close();
    else if (character === '[') this.#class();
    else if (character === '\\') this.#escape();
    else if (character === '{') this.#counted();
    else {
      this.#at += 1;
      if ('*+?'.includes(character)) this.#repeat(1, 0);
      else this.#add(character === '|' ? ALTERNATIVE_COST : 1);
    }
  }

  #open(): void {
    const start = read(GROUP_START, this.#text, this.#at)?.[0] ?? '(';
    this.#at += start.length;
    // `(?i)` only sets a flag, so a following repetition applies to the part before it.
    if (start.endsWith(')')) return;
    const own = start === '(' || start.endsWith('>') ? CAPTURE_COST : GROUP_COST;
    this.#levels.push({ sum: 0, own });
    this.#last = 0;
  }

  #close(): void {
    this.#at += 1;
    const group = this.#levels.length > 1 ? this.#levels.pop() : undefined;
    this.#add((group?.sum ?? 0) + (group?.own ?? CAPTURE_COST));
  }

  #counted(): void {
    const [whole, least = '', most = ''] = read(COUNTED, this.#text, this.#at) ?? [];
    this.#at += whole?.length ?? 1;
    if (whole === undefined) this.#add(1);
    else this.#repeat(Math.max(Number(least), Number(most)), Math.max(0, Number(most) - Number(least)));
  }

  #escape(): void {
    const kind = this.#text.charAt(this.#at + 1);
    if (kind === 'Q') {
      const end = this.#text.indexOf('\\E', this.#at + 2);
      const stop = end < 0 ? this.#text.length : end;
      const before = this.#last;
      this.#add(stop - this.#at);
      // A repetition applies to the last quoted character, or to the preceding part if the quote is empty.
      this.#last = stop > this.#at + 2 ? 1 : before;
      this.#at = stop + 2;
      return;
    }
    this.#one();
    this.#add(1);
  }

  /** Adds the cost of a bracketed class: one instruction, plus its tables and ranges. */
  #class(): void {
    this.#at += this.#text.charAt(this.#at + 1) === '^' ? 2 : 1;
    for (let isFirst = true; this.#at < this.#text.length; isFirst = false) {
      if (this.#text.charAt(this.#at) === ']' && !isFirst) break;
      const low = this.#one();
      if (this.#text.charAt(this.#at) !== '-' || this.#text.charAt(this.#at + 1) === ']') continue;
      this.#at += 1;
      this.#range(low, this.#one());
    }
    this.#at += 1;
    this.#add(1);
  }

  #range(low: number, high: number): void {
    const isAll = low <= FIRST_FOLDED && high >= LAST_FOLDED;
    if (!this.#ignoresCase || isAll) return;
    const characters = Math.min(high, LAST_FOLDED) - Math.max(low, FIRST_FOLDED);
    this.#tables += Math.max(0, characters) / FOLDED_CHARACTERS;
  }

  /**
   * Skips one character or escape and returns its code point. For an escape such as `\d`, that is the code point of
   * `d`. Adds the cost of a Unicode class.
   */
  #one(): number {
    const code = this.#text.codePointAt(this.#at) ?? 0;
    if (code !== 0x5c) {
      this.#at += code > 0xffff ? 2 : 1;
      return code;
    }
    const [written, braced, plain] = read(CODE, this.#text, this.#at) ?? [];
    if (written !== undefined) {
      this.#at += written.length;
      return Number.parseInt(braced ?? plain ?? '0', 16);
    }
    const kind = this.#text.charAt(this.#at + 1);
    this.#at += 2;
    if (kind === 'p' || kind === 'P') {
      this.#tables += TABLE_COST;
      this.#at += read(BRACED, this.#text, this.#at)?.[0].length ?? 1;
    }
    return kind.codePointAt(0) ?? 0;
  }
}

export const costOfPattern = (text: string, ignoresCase: boolean): number => new Walk(text, ignoresCase).cost();
