import { ApiError } from '../../../kernel/errors/errors.ts';

/**
 * Runs all readers and returns their values. If readers throw 400 E0000001, the function throws one such error that
 * contains all causes. Other errors are thrown at once.
 */
export function gather<Values extends object>(
  readers: { readonly [Name in keyof Values]: () => Values[Name] },
): Values {
  const faults: ApiError[] = [];
  const values: Partial<Values> = {};
  for (const name of Object.keys(readers) as (keyof Values)[]) {
    try {
      const value = readers[name]();
      if (value !== undefined) values[name] = value;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
      faults.push(error);
    }
  }
  const [first] = faults;
  if (first === undefined) return values as Values;
  if (faults.length === 1) throw first;
  const causes = faults.flatMap((fault) => fault.causes);
  throw new ApiError('E0000001', first.message, { causes });
}
