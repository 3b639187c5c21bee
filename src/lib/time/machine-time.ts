/** The time of all processes of the machine in milliseconds, minus the monotonic time of this process. */
export const machineOffset = Number(process.hrtime.bigint() / 1000n) / 1000 - performance.now();

/** The time of all processes of the machine in milliseconds, whatever happens to the clock. */
export function machineTime(): number {
  return machineOffset + performance.now();
}
