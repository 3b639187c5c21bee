/** Resolves after the event loop has run the callbacks that were waiting. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
