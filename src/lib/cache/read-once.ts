/** Returns the promise of a key, from `read` at the first time. A rejected one is removed, so that the next call reads again. */
export function readOnce<Value>(
  promises: Map<string, Promise<Value>>,
  key: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const found = promises.get(key);
  if (found) return found;
  const reading = read();
  promises.set(key, reading);
  reading.catch(() => promises.delete(key));
  return reading;
}
