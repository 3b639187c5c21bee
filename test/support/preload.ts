import { afterAll } from "bun:test";
import { failIfAnythingRuns } from "./left-running.ts";
import { startPostgres } from "./postgres.ts";

// Every suite runs on both engines: without PostgreSQL the run fails here, nothing is skipped.
process.env.TOLLGATE_TEST_DATABASE_URL ||= await startPostgres();

afterAll(failIfAnythingRuns);
