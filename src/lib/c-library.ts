import { dlopen, type FFIFunction } from "bun:ffi";

/** Loads functions of the C library of Linux. Returns undefined if it is not found. */
export function loadLinuxLibrary<Functions extends Record<string, FFIFunction>>(functions: Functions) {
  const machine = process.arch === "arm64" ? "aarch64" : "x86_64";
  for (const name of ["libc.so.6", `libc.musl-${machine}.so.1`]) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // The other C library.
    }
  }
  return undefined;
}
