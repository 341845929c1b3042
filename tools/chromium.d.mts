/** The part of `chromium.mjs` that TypeScript imports. */
export declare function findChromium(): string | undefined;
