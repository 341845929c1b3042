import { ApiError } from '../../../kernel/errors/errors.ts';

type Readers = Readonly<Record<string, () => unknown>>;
type Read<Given extends Readers> = { readonly [Name in keyof Given]: ReturnType<Given[Name]> };

/** Runs all readers, even after one has thrown E0000001, so that one error can name all faults. */
export function collectFaults<const Given extends Readers>(readers: Given): Read<Given> {
  const faults: ApiError[] = [];
  const entries = Object.entries(readers).map(([name, read]) => {
    try {
      return [name, read()] as const;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
      faults.push(error);
      return [name, undefined] as const;
    }
  });
  const [first] = faults;
  if (first === undefined) return Object.fromEntries(entries) as Read<Given>;
  throw faults.length === 1
    ? first
    : new ApiError('E0000001', first.message, { causes: faults.flatMap(({ causes }) => causes) });
}
