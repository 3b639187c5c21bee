import { afterAll } from "bun:test";
import fc from "fast-check";
import { failIfAnythingRuns } from "./left-running.ts";
import { startPostgres } from "./postgres.ts";

// Every suite runs on both engines: without PostgreSQL the run fails here, nothing is skipped.
process.env.TOLLGATE_TEST_DATABASE_URL ||= await startPostgres();

// Property tests draw the same values in every run; `TOLLGATE_TEST_SEED=$RANDOM npm test` draws others.
fc.configureGlobal({ seed: Number(process.env.TOLLGATE_TEST_SEED ?? 1) });

afterAll(failIfAnythingRuns);
