/**
 * How many times longer than on a quiet machine everything takes. `npm test` measures it at its start (`scripts/slowdown.ts`);
 * docs/decisions/testing.md has the reasons.
 */
const slowdown = Number(process.env.TOLLGATE_TEST_SLOWDOWN ?? 1);

/** A time that is long enough on a quiet machine, for this one. */
export function patiently(milliseconds: number): number {
  return milliseconds * slowdown;
}

/** Several files run at once on each core, so that a test has only a part of it even on a quiet machine. */
const filesPerCore = 4;
const maxDatabasePatience = 20;

/** TOLLGATE_DATABASE_PATIENCE of the servers under test: they must not report load as an outage of PostgreSQL. */
export const databasePatience = Math.min(Math.ceil(filesPerCore * slowdown), maxDatabasePatience);
