import { isUtf8 } from 'node:buffer';

/** The maximum depth of nested containers, far below the depth at which recursion could overflow the stack. */
export const MAXIMUM_BODY_DEPTH = 64;

const MAXIMUM_FIELD_LENGTH = 200;

export interface BodyProblem {
  readonly kind:
    | 'malformed'
    | 'invalidUtf8'
    | 'fourByteCharacter'
    | 'nul'
    | 'duplicateKey'
    | 'tooDeep'
    | 'forbiddenKey';
  /** The dotted path of the field (`profile.firstName`, `groupIds[0]`); null if no field is known. */
  readonly field: string | null;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const SMALL_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Tells whether code that merges objects may reach a prototype through this key, alone or inside `constructor`. */
const leadsToPrototype = (key: string, parent: Container | undefined): boolean =>
  key === '__proto__' || (key === 'prototype' && parent?.isArray === false && parent.key === 'constructor');

interface Container {
  readonly isArray: boolean;
  index: number;
  /** The key that was read last; null before the first one ends, and while another one is read. */
  key: string | null;
  /** The set is created when the second key is read, because an object with a single key needs none. */
  keys: Set<string> | null;
}

class BodyScanner {
  // The body with one character per byte. Slicing it is cheap, and all structural characters of JSON are ASCII.
  private readonly bytes: string;
  private readonly raw: Buffer;
  private readonly containers: Container[] = [];
  private top: Container | null = null;
  private position = 0;
  private expectsKey = false;
  private hasEscape = false;
  private isAscii = true;

  constructor(raw: Buffer) {
    this.raw = raw;
    this.bytes = raw.toString('latin1');
  }

  run(): BodyProblem | null {
    const { bytes } = this;
    const length = bytes.length;
    let empty = true;
    while (this.position < length) {
      const code = bytes.charCodeAt(this.position);
      if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) {
        this.position += 1;
        continue;
      }
      empty = false;
      const problem = code === QUOTE ? this.readString() : this.readStructure(code);
      if (problem !== null) return problem;
    }
    return empty || this.top !== null ? this.problem('malformed', null) : null;
  }

  private readStructure(code: number): BodyProblem | null {
    this.position += 1;
    switch (code) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        return this.open(code === OPEN_BRACKET);
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        return this.close(code === CLOSE_BRACKET);
      case COMMA:
        if (this.top === null) return this.problem('malformed', null);
        if (this.top.isArray) this.top.index += 1;
        else this.expectsKey = true;
        return null;
      case COLON:
        this.expectsKey = false;
        return null;
      default:
        // Numbers and literals such as `true` are left to JSON.parse, which runs afterwards.
        return code >= 0x80 ? this.problem('malformed', null) : null;
    }
  }

  private open(isArray: boolean): BodyProblem | null {
    if (this.containers.length >= MAXIMUM_BODY_DEPTH) return this.problem('tooDeep', this.path());
    this.top = { isArray, index: 0, key: null, keys: null };
    this.containers.push(this.top);
    this.expectsKey = !isArray;
    return null;
  }

  private close(isArray: boolean): BodyProblem | null {
    if (this.top?.isArray !== isArray) return this.problem('malformed', null);
    this.containers.pop();
    this.top = this.containers.at(-1) ?? null;
    this.expectsKey = false;
    return null;
  }

  private readString(): BodyProblem | null {
    const isKey = this.expectsKey;
    // A fault inside a key is reported for the object that contains it, because the key itself cannot be shown.
    if (isKey && this.top !== null) this.enterKey(this.top);
    const start = this.position + 1;
    const problem = this.readCharacters(start);
    if (problem !== null) return problem;
    if (!isKey || this.top === null) return null;
    this.expectsKey = false;
    return this.addKey(this.top, start, this.position - 1);
  }

  private enterKey(top: Container): void {
    if (top.key !== null && top.keys === null) top.keys = new Set([top.key]);
    top.key = null;
  }

  /** Reads up to the end of a string, and leaves the position after the closing quote. */
  private readCharacters(start: number): BodyProblem | null {
    const { bytes } = this;
    const length = bytes.length;
    this.hasEscape = false;
    this.isAscii = true;
    let position = start;
    while (position < length) {
      const code = bytes.charCodeAt(position);
      if (code === QUOTE) {
        this.position = position + 1;
        return null;
      }
      if (code === BACKSLASH) {
        const step = this.readEscape(position);
        if (typeof step !== 'number') return step;
        position += step;
        continue;
      }
      if (code >= 0x80) {
        this.isAscii = false;
        if (code >= 0xf0) return this.problem('fourByteCharacter', this.path());
      } else if (code < 0x20) return this.problem(code === 0 ? 'nul' : 'malformed', this.path());
      position += 1;
    }
    return this.problem('malformed', null);
  }

  private readEscape(position: number): number | BodyProblem {
    this.hasEscape = true;
    if (this.bytes.charCodeAt(position + 1) !== SMALL_U) return 2;
    const unit = this.hexAt(position + 2);
    if (unit === null) return this.problem('malformed', this.path());
    if (unit === 0) return this.problem('nul', this.path());
    if (unit < 0xd800 || unit > 0xdfff) return 6;
    const follower = this.bytes.startsWith('\\u', position + 6) ? this.hexAt(position + 8) : null;
    const isPair = unit <= 0xdbff && follower !== null && follower >= 0xdc00 && follower <= 0xdfff;
    return this.problem(isPair ? 'fourByteCharacter' : 'invalidUtf8', this.path());
  }

  private hexAt(position: number): number | null {
    const digits = this.bytes.slice(position, position + 4);
    return /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : null;
  }

  private addKey(top: Container, start: number, end: number): BodyProblem | null {
    const key = this.keyText(start, end);
    if (key === null) return this.problem('malformed', null);
    if (leadsToPrototype(key, this.containers.at(-2))) {
      if (key === '__proto__') top.key = key;
      return this.problem('forbiddenKey', this.path());
    }
    top.key = key;
    if (top.keys === null) return null;
    const size = top.keys.size;
    return top.keys.add(key).size === size ? this.problem('duplicateKey', this.path()) : null;
  }

  /** Decodes a key, because an escaped key and its plain form are the same key to JSON.parse. */
  private keyText(start: number, end: number): string | null {
    if (!this.hasEscape) return this.isAscii ? this.bytes.slice(start, end) : this.raw.toString('utf8', start, end);
    try {
      return String(JSON.parse(this.raw.toString('utf8', start - 1, end + 1)));
    } catch {
      return null;
    }
  }

  private path(): string | null {
    let path = '';
    for (const { isArray, index, key } of this.containers) {
      if (isArray) path += `[${index}]`;
      else if (key !== null) path += path === '' ? key : `.${key}`;
    }
    return path === '' ? null : path.slice(0, MAXIMUM_FIELD_LENGTH);
  }

  private problem(kind: BodyProblem['kind'], field: string | null): BodyProblem {
    return { kind, field };
  }
}

/**
 * Finds a problem in a JSON body in linear time, or returns null. Null does not mean that the body is well-formed:
 * JSON.parse, which must follow, checks the rest.
 */
export function scanBody(raw: Buffer): BodyProblem | null {
  return isUtf8(raw) ? new BodyScanner(raw).run() : { kind: 'invalidUtf8', field: null };
}
