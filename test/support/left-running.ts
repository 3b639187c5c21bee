/** Resources that tests have started and not stopped, with the stack of their start. */
const running = new Map<object, Error>();

export function started(thing: object, name: string): void {
  running.set(thing, new Error(`${name} was started and never stopped`));
}

export function stopped(thing: object): void {
  running.delete(thing);
}

/** Each is reported once, in the suite that left it. */
export function failIfAnythingRuns(): void {
  const left = [...running.values()];
  running.clear();
  if (left.length > 0) throw new Error(left.map((error) => error.stack).join("\n"));
}
