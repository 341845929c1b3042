/**
 * Returns the buffers of an object's values that a thread may give away instead of copying them. Pooled buffers cannot
 * be given away, because they share their memory with other values.
 */
export function movableBuffers(object: object): ArrayBuffer[] {
  const buffers = Object.values(object).flatMap((value: unknown) =>
    value instanceof Uint8Array && value.byteLength === value.buffer.byteLength ? [value.buffer] : [],
  );
  return buffers.filter((buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer);
}
