import { FFIType, ptr } from "bun:ffi";
import { loadLinuxLibrary } from "../c-library.ts";

/** CLOCK_MONOTONIC of Linux, which Bun's `performance.now()` reads too: only their origins differ. */
const monotonicClock = 1;
const attempts = 5;

let offset: number | undefined;

/** The time of all processes of the machine in milliseconds, whatever happens to the clock. */
export function machineTime(): number {
  offset ??= measureOffset();
  return offset + performance.now();
}

/** Machine time minus the monotonic time of this process. It is constant. */
export function machineOffset(): number {
  offset ??= measureOffset();
  return offset;
}

/**
 * Bun's own monotonic clocks, `process.hrtime` too, count from the start of the process. Without the C library, and on
 * other systems than Linux, there are no workers (see listening-sockets.ts), and the process has its own time.
 */
function measureOffset(): number {
  const library =
    process.platform === "linux" &&
    loadLinuxLibrary({ clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } });
  if (!library) return 0;
  const time = new BigInt64Array(2);
  const pointer = ptr(time);
  let best = { offset: 0, error: Number.POSITIVE_INFINITY };
  // The process may lose its core between two reads: the attempt that took least is the most exact.
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = performance.now();
    if (library.clock_gettime(monotonicClock, pointer) !== 0) return 0;
    const error = (performance.now() - before) / 2;
    const milliseconds = Number(time[0]) * 1000 + Number(time[1]) / 1_000_000;
    if (error < best.error) best = { offset: milliseconds - before - error, error };
  }
  return best.offset;
}
