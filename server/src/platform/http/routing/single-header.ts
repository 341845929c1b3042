/** Returns the value of a header, or its first one if Node lists several. */
export const singleHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
