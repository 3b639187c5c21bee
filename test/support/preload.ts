import { afterAll } from "bun:test";
import fc from "fast-check";
import { failIfAnythingRuns } from "./left-running.ts";

// Property tests draw the same values in every run; `TOLLGATE_TEST_SEED=$RANDOM npm test` draws others.
fc.configureGlobal({ seed: Number(process.env.TOLLGATE_TEST_SEED ?? 1) });

afterAll(failIfAnythingRuns);
