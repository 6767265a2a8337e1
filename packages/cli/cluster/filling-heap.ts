import { setFlagsFromString } from 'node:v8';

/**
 * Does work that fills the memory with bytes that stay, such as reading a database. V8 otherwise marks the whole heap
 * whenever some 30 MB of buffers were made, however many there are already: reading ten times as many objects takes a
 * hundred times as long. Meanwhile it does so each time that they have grown by a share of what they are.
 */
export async function whileMemoryFills<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--external-memory-accounted-in-global-limit');
  try {
    return await work();
  } finally {
    setFlagsFromString('--no-external-memory-accounted-in-global-limit');
  }
}
