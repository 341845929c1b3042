type Kind = 'lines' | 'branches';
type Totals = Readonly<Record<Kind, { readonly covered: number; readonly total: number }>>;
export type Coverage = Readonly<Record<string, Readonly<Record<Kind, number>>>>;

export function folderOf(source: string): string;
export function coverageByFolder(files: readonly (readonly [source: string, totals: Totals])[]): Coverage;
export function belowFloors(measured: Coverage, floors: Coverage): readonly string[];
