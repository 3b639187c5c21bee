import { findProgram } from "./find-program.ts";

export function findPgBouncer(): string {
  return findProgram("pgbouncer");
}
