/**
 * Limits the memory arenas of the processes that this one starts, unless the operator has chosen a limit. By default
 * glibc gives each thread its own arena, and an idle process keeps some 10 MB in them. Other C libraries ignore the
 * variable.
 */
export function limitMemoryArenas(environment: NodeJS.ProcessEnv = process.env): void {
  environment['MALLOC_ARENA_MAX'] ??= '2';
}
