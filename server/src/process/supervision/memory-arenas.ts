/**
 * Limits the memory arenas of the processes that this one starts. By default glibc gives each thread its own arena, and
 * an idle process keeps some 10 MB in them. Other C libraries ignore the variable.
 */
export function limitMemoryArenas(): void {
  process.env['MALLOC_ARENA_MAX'] = '2';
}
