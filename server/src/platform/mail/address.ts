const LONGEST_ADDRESS = 254;
/** The form of exactly one address: no name, list, comment or quoted part, and nothing that could end a header line. */
const ADDRESS = /^[^\s<>@"(),:;\\[\]\p{C}]+@[^\s<>@"(),:;\\[\]\p{C}]+$/u;

export const isMailAddress = (text: string): boolean => text.length <= LONGEST_ADDRESS && ADDRESS.test(text);
