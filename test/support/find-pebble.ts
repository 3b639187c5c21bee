import { findProgram } from "./find-program.ts";

/** An ACME server for tests, and its DNS server. Debian has both in one package. */
export const pebblePrograms = ["pebble", "pebble-challtestsrv"] as const;

export function findPebble(name: (typeof pebblePrograms)[number]): string {
  return findProgram(name);
}
