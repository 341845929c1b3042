export interface Placeholder {
  readonly text: string;
  /** The position of the dollar sign. `end` is the position after the closing brace. */
  readonly start: number;
  readonly end: number;
}

/** Finds the `${...}` placeholders of a template from left to right. Each ends at the next closing brace. */
export function placeholdersOf(template: string): readonly Placeholder[] {
  const found: Placeholder[] = [];
  let start = template.indexOf('${');
  while (start >= 0) {
    const close = template.indexOf('}', start);
    if (close < 0) break;
    found.push({ text: template.slice(start + 2, close), start, end: close + 1 });
    start = template.indexOf('${', close + 1);
  }
  return found;
}
