/**
 * Limits the memory arenas of the processes that this one starts, unless the operator has chosen a limit. By default,
 * glibc gives threads arenas of their own, in which an idle process keeps some 10 MB. Other C libraries ignore the
 * variable.
 */
export function limitMemoryArenas(): void {
  process.env['MALLOC_ARENA_MAX'] ??= '2';
}
