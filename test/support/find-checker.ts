import { findProgram } from "./find-program.ts";

/** Programs that check the sample configurations, and their Debian packages. */
const packages = { promtool: "prometheus", "systemd-analyze": "systemd" } as const;

export type Checker = keyof typeof packages;
export const checkers = Object.keys(packages) as Checker[];
export const checkerPackages = Object.values(packages);

export function findChecker(name: Checker): string {
  return findProgram(name, packages[name]);
}
